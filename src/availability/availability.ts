import type { Reporter } from '../diagnostics/diagnostics.js';
import { policyOfOutcome } from '../http/failure-of-status.js';
import type { Outcome, Send } from '../http/reply.js';
import { isFailure, type AskAtOnce } from '../model/answer.js';
import { policyOf } from '../model/failure-policy.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../runtime.js';
import { oneTimer } from '../time/one-timer.js';
import type { Attempt, CircuitSettings, Moment } from './circuit-breaker.js';
import * as health from './health-transitions.js';
import { isRejection, judgingRejections } from './rejected-credentials.js';

export interface AvailabilitySettings {
  /** Asks a real question, past the circuit breaker: why it failed. `signal` ends it. Never rejects. */
  readonly check: (signal?: AbortSignal) => Promise<Failure | undefined>;
  /** Changes when other credentials are sent. */
  readonly credentialsVersion: () => number;
  /** `undefined`: the circuit never opens. */
  readonly breaker: CircuitSettings | undefined;
}

/** So long after the service has answered any request, the context of others may be what makes them fail. */
const DOUBTFUL_FOR_MS = 10_000;
/** So often a check may decide whether the circuit opens. */
const DECIDED_EVERY_MS = 1_000;

/** The only owner of the answer to "is the service healthy?": one state, one timer, one check at a time. */
export function availability(
  { check, credentialsVersion, breaker }: AvailabilitySettings,
  { clock, random, ...reporter }: Runtime,
) {
  let state = health.HEALTHY;
  let checking: Promise<Failure | undefined> | undefined;
  /** The failure of a start that ends after the close; `undefined` until the close. */
  let closed: Failure | undefined;
  let answeredAt = -Infinity;
  /** When a check last kept the circuit closed. */
  let keptClosedAt = -Infinity;
  const timer = oneTimer(clock);
  let endStart: (failure: Failure | undefined) => void = () => undefined;

  /** Random, between `ms` / 2 and `ms`, so that many instances do not check at the same moment. */
  const jitter = (ms: number) => ms * (0.5 + random() / 2);
  const moment = (): Moment => ({ now: clock.now(), jitter });

  const become = (next: health.Health) => {
    const before = state;
    if (closed !== undefined || next === before) return;
    state = next;
    reportChange(before, next, reporter);
    schedule();
  };

  const schedule = () => {
    timer.stop();
    const until = state.starting?.until ?? Infinity;
    const at = checking !== undefined ? until : Math.min(health.nextCheckAt(state), until);
    if (at === Infinity) return;
    const delayMs = Math.max(0, Math.ceil(at - clock.now()));
    const due = at === until ? giveUpStart : () => void runCheck();
    // A caller waits for the start. Nobody waits for a background check.
    timer.set(delayMs, due, state.starting === undefined ? 'background' : 'awaited');
  };

  const giveUpStart = () => {
    const failure = state.starting?.failure;
    if (failure === undefined) return;
    become(health.startFailed(state, failure, moment()));
    endStart(failure);
  };

  /** Concurrent callers share one check, but not without a background, where it may end with the first of them. */
  const runCheck = (signal?: AbortSignal): Promise<Failure | undefined> => {
    if (!clock.hasBackground) return checkOnce(signal);
    if (checking !== undefined) return checking;
    checking = checkOnce();
    become(health.checking(state));
    return checking;
  };

  const checkOnce = async (signal?: AbortSignal) => {
    const failure = await check(signal);
    if (failure === undefined) answeredAt = clock.now();
    checking = undefined;
    if (closed !== undefined) return failure;
    const wasStarting = state.starting !== undefined;
    become(
      failure === undefined
        ? health.checkPassed(state)
        : health.checkFailed(state, failure, moment(), breaker),
    );
    if (wasStarting && state.starting === undefined) endStart(failure);
    return failure;
  };

  /**
   * A firewall in front of the service may let some contexts fail, and no others. So while requests are answered, the
   * circuit opens only if a check, which sends no context, fails as well.
   */
  const learn = (attempt: Attempt) => {
    const next = health.attempted(state, attempt, moment(), breaker);
    const opens = state.circuit.state === 'closed' && next.circuit.state === 'open';
    const isDoubtful = clock.hasBackground && clock.now() - answeredAt < DOUBTFUL_FOR_MS;
    if (opens && isDoubtful) void openIfCheckFails(next);
    else become(next);
  };
  const openIfCheckFails = async ({ circuit }: health.Health) => {
    if (checking !== undefined || clock.now() - keptClosedAt < DECIDED_EVERY_MS) return;
    const failure = await runCheck();
    if (failure === undefined || policyOf(failure).countsForCircuit === 'no') keptClosedAt = clock.now();
    else if (state.circuit.state === 'closed') become({ ...state, circuit });
  };

  const judged = judgingRejections(
    { rejected: () => state.rejected, check: runCheck, credentialsVersion },
    clock,
  );

  const isDue = () => health.nextCheckAt(state) <= clock.now();
  /** Without a background, a caller's request is the check of an open circuit. */
  const isTrialDue = () => !clock.hasBackground && state.circuit.state === 'open' && isDue();
  const refusal = () =>
    state.circuit.state === 'closed' || isTrialDue() ? undefined : circuitOpen(state.circuit.failure);

  return {
    /**
     * Checks the service until it answers, rejects the credentials, or the time is up. A short start ends after its
     * first check, whatever the outcome.
     */
    start(withinMs: number, isShort = false): Promise<Failure | undefined> {
      if (closed !== undefined) return Promise.resolve(closed);
      const result = new Promise<Failure | undefined>((resolve) => {
        endStart = resolve;
      });
      become(health.started(state, withinMs, isShort, clock.now()));
      void runCheck();
      return result;
    },
    /** Sends while the circuit is closed, and learns from each attempt. */
    throughCircuit:
      (send: Send): Send =>
      async (request) => {
        const refused = refusal();
        if (refused !== undefined) return refused;
        const isTrial = isTrialDue();
        if (isTrial) become(health.trying(state, moment()));
        const sentAt = clock.now();
        const outcome = await send(request);
        if (!provesSomething(outcome)) return outcome;
        const failure = countedFailure(outcome);
        if (failure === undefined) answeredAt = clock.now();
        if (isTrial) become(health.tried(state, failure, moment(), breaker));
        else learn({ failure, sentAt });
        return outcome;
      },
    /** Learns from the outcome of whole requests. A part of a batch that has failed is expected to fail, too. */
    observed(askAtOnce: AskAtOnce, isPart = false): AskAtOnce {
      const ask = judged(askAtOnce);
      return async (questions, signal) => {
        const outcome = await ask(questions, signal);
        // A rejected check has changed the state already. A check that failed for another reason proves nothing.
        if (!isFailure(outcome)) become(health.answered(state));
        else if (!isRejection(outcome) && !(isPart && policyOf(outcome).cause === 'question'))
          become(health.unanswered(state, outcome, moment()));
        return outcome;
      };
    },
    /** Counts a failure that only its context shows to be the service's, such as a 500 for everything. */
    serviceFailed: (failure: Failure) => {
      learn({ failure, sentAt: clock.now() });
    },
    /** Why a request would not be sent now; `undefined` if it would be sent. */
    refusal,
    /** Checks the service if that is due: for clocks without a background, whose timers do not do it. Never rejects. */
    async checkIfDue() {
      if (isDue()) await runCheck();
    },
    /** Checks whether the credentials count, unless they are known to be rejected: a poll's were. Never rejects. */
    async checkCredentials() {
      if (closed === undefined && state.rejected === undefined) await runCheck();
    },
    /** Stops the timer. A start in progress ends with this failure. Nothing is reported any more. */
    close(failure: Failure) {
      closed = failure;
      timer.stop();
      endStart(failure);
    },
  };
}

export type Availability = ReturnType<typeof availability>;

function circuitOpen({ message }: Failure): Failure {
  return {
    kind: 'circuit-open',
    message: `circuit open: no requests are sent after repeated failures; the last: ${message}`,
  };
}

/**
 * Whether the outcome says anything about the service's health. Nothing was sent: no. A 500: no, because while the
 * circuit is closed, the parts of its batch show whether a flag or the service caused it.
 */
function provesSomething(outcome: Outcome): boolean {
  const policy = policyOfOutcome(outcome);
  if (policy === undefined || policy.countsForCircuit === 'yes') return true;
  return policy.responded && policy.countsForCircuit === 'no';
}

function countedFailure(outcome: Outcome): Failure | undefined {
  if (policyOfOutcome(outcome)?.countsForCircuit !== 'yes') return undefined;
  return outcome.kind === 'reply' ? { kind: 'gateway', message: `status ${outcome.status}` } : outcome;
}

function reportChange(before: health.Health, after: health.Health, { wants, report }: Reporter): void {
  const { circuit } = after;
  if (circuit.state !== before.circuit.state && wants['circuit-changed']) {
    const failure = circuit.state === 'closed' ? undefined : circuit.failure;
    report({ type: 'circuit-changed', state: circuit.state, failure });
  }
  if (!wants['health-changed']) return;
  const [was, is] = [health.problemsOf(before), health.problemsOf(after)];
  if ([...was.keys()].join() === [...is.keys()].join()) return;
  report({ type: 'health-changed', before: was, after: is, starting: before.starting !== undefined });
}
