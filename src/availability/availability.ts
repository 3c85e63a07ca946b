import type { Clock } from '../clock.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import { traitsOfOutcome } from '../http/outcome.js';
import type { Reply, Send } from '../http/reply.js';
import { isFailure, type Answer, type AskAtOnce } from '../model/answer.js';
import { traitsOf } from '../model/failure-traits.js';
import type { Failure } from '../model/failure.js';
import type { CircuitSettings, Moment } from './circuit.js';
import type { HealthCheck } from './check-request.js';
import * as health from './health.js';

export interface AvailabilitySettings {
  /** Bypasses the circuit breaker. */
  readonly check: HealthCheck;
  /** Changes when other credentials are sent. */
  readonly credentialsVersion: () => number;
  /** `undefined`: the circuit never opens. */
  readonly breaker: CircuitSettings | undefined;
  readonly reporter: Reporter;
}

/** The only owner of the answer to "is the service healthy?": one state, one timer, one check at a time. */
export interface Availability {
  /**
   * Checks the service until it answers, rejects the credentials, or the time is up. A short start ends after its first
   * check, whatever the outcome.
   */
  readonly start: (withinMs: number, isShort?: boolean) => Promise<Failure | undefined>;
  /** Sends while the circuit is closed, and learns from each attempt. */
  readonly throughCircuit: (send: Send) => Send;
  /** Learns from the outcome of whole requests. */
  readonly observed: (askAtOnce: AskAtOnce) => AskAtOnce;
  /** Counts a failure that only its context shows to be the service's, such as a 500 for everything. */
  readonly serviceFailed: (failure: Failure) => void;
  /** Why a request would not be sent now; `undefined` if it would be sent. */
  readonly refusal: () => Failure | undefined;
  /** Checks the service if that is due: for clocks without a background, whose timers do not do it. Never rejects. */
  readonly checkIfDue: () => Promise<void>;
  /** Stops the timer. A start in progress ends with this failure. Nothing is reported any more. */
  readonly close: (failure: Failure) => void;
}

export function availability(
  { check, credentialsVersion, breaker, reporter }: AvailabilitySettings,
  clock: Clock,
  random: () => number,
): Availability {
  let state = health.HEALTHY;
  let checking: Promise<Failure | undefined> | undefined;
  let acceptedAt = -Infinity;
  /** The failure of a start that ends after the close; `undefined` until the close. */
  let closed: Failure | undefined;
  let cancelTimer: () => void = () => undefined;
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
    cancelTimer();
    const until = state.starting?.until ?? Infinity;
    const at = checking !== undefined ? until : Math.min(health.nextCheckAt(state) ?? Infinity, until);
    if (at === Infinity) return;
    const delayMs = Math.max(0, Math.ceil(at - clock.now()));
    const due = at === until ? giveUpStart : () => void runCheck();
    // A caller waits for the start, so its timer keeps the process alive. Nobody waits for a background check.
    cancelTimer = clock.after(delayMs, due, state.starting === undefined ? 'background' : undefined);
  };

  const giveUpStart = () => {
    const failure = state.starting?.failure;
    if (failure === undefined) return;
    become(health.startFailed(state, failure, moment()));
    endStart(failure);
  };

  /** Concurrent callers share one check, but not without a background, where it may end with the first of them. */
  const runCheck = (signal?: AbortSignal): Promise<Failure | undefined> => {
    if (clock.hasBackground === false) return checkOnce(signal);
    if (checking !== undefined) return checking;
    checking = checkOnce();
    become(health.checking(state));
    return checking;
  };

  const checkOnce = async (signal?: AbortSignal) => {
    const failure = await check(signal);
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

  /** Whether a check, which concerns no flag, shows that the service accepts the credentials. */
  const areCredentialsAccepted = async (signal?: AbortSignal) => {
    if (state.rejected !== undefined) return false;
    if (clock.now() - acceptedAt < ACCEPTED_FOR_MS) return true;
    const isAccepted = (await runCheck(signal)) === undefined;
    if (isAccepted) acceptedAt = clock.now();
    return isAccepted;
  };

  /** A 401 or 403 concerns the credentials only if a check is rejected, too. */
  const settled = async (
    outcome: Failure,
    sentWith: number,
    again: () => Promise<Outcome>,
    signal?: AbortSignal,
  ) => {
    if (!(await areCredentialsAccepted(signal))) return outcome;
    // A single 401, for example from one instance of many, changes no state: try again. After a 403, trying again helps
    // only if the check has refreshed the credentials.
    const isWorthIt = outcome.kind === 'unauthorized' || credentialsVersion() !== sentWith;
    const second = isWorthIt ? await again() : outcome;
    return isFailure(second) && isRejection(second)
      ? { ...second, kind: 'refused-request' as const }
      : second;
  };

  const isDue = () => (health.nextCheckAt(state) ?? Infinity) <= clock.now();
  /** Without a background, a caller's request is the check of an open circuit. */
  const isTrialDue = () => clock.hasBackground === false && state.circuit.state === 'open' && isDue();
  const refusal = () =>
    state.circuit.state === 'closed' || isTrialDue() ? undefined : refused(state.circuit.failure);

  return {
    start(withinMs, isShort = false) {
      if (closed !== undefined) return Promise.resolve(closed);
      const result = new Promise<Failure | undefined>((resolve) => {
        endStart = resolve;
      });
      become(health.started(state, withinMs, isShort, clock.now()));
      void runCheck();
      return result;
    },
    throughCircuit: (send) => async (request) => {
      const refused = refusal();
      if (refused !== undefined) return refused;
      const isTrial = isTrialDue();
      if (isTrial) become(health.trying(state, moment()));
      const sentAt = clock.now();
      const outcome = await send(request);
      if (!provesSomething(outcome)) return outcome;
      const failure = countedFailure(outcome);
      become(
        isTrial
          ? health.tried(state, failure, moment(), breaker)
          : health.attempted(state, { failure, sentAt }, moment(), breaker),
      );
      return outcome;
    },
    observed: (askAtOnce) => async (questions, signal) => {
      const version = credentialsVersion();
      const first = await askAtOnce(questions, signal);
      const outcome =
        isFailure(first) && isRejection(first)
          ? await settled(first, version, () => askAtOnce(questions, signal), signal)
          : first;
      // A rejected check has changed the state already. A check that failed for another reason proves nothing.
      if (!isFailure(outcome)) become(health.answered(state));
      else if (!isRejection(outcome)) become(health.unanswered(state, outcome, moment()));
      return outcome;
    },
    serviceFailed(failure) {
      become(health.attempted(state, { failure, sentAt: clock.now() }, moment(), breaker));
    },
    refusal,
    async checkIfDue() {
      if (isDue()) await runCheck();
    },
    close(failure) {
      closed = failure;
      cancelTimer();
      endStart(failure);
    },
  };
}

/** For so long after a check has passed, the credentials count as accepted. */
const ACCEPTED_FOR_MS = 1_000;

type Outcome = readonly Answer[] | Failure;

/** 401 or 403. */
function isRejection(failure: Failure): boolean {
  const { cause, responded } = traitsOf(failure);
  return cause === 'credentials' && responded;
}

function refused({ message }: Failure): Failure {
  return {
    kind: 'circuit-open',
    message: `circuit open: no requests are sent after repeated failures; the last: ${message}`,
  };
}

/**
 * Whether the outcome says anything about the service's health. Nothing was sent: no. A 500: no, because while the
 * circuit is closed, the parts of its batch show whether a flag or the service caused it.
 */
function provesSomething(outcome: Reply | Failure): boolean {
  const traits = traitsOfOutcome(outcome);
  if (traits === undefined || traits.countsForCircuit === 'yes') return true;
  return traits.responded && traits.countsForCircuit === 'no';
}

function countedFailure(outcome: Reply | Failure): Failure | undefined {
  if (traitsOfOutcome(outcome)?.countsForCircuit !== 'yes') return undefined;
  return outcome.kind === 'reply' ? { kind: 'gateway', message: `status ${outcome.status}` } : outcome;
}

function reportChange(before: health.Health, after: health.Health, { wants, report }: Reporter): void {
  const { circuit } = after;
  if (circuit.state !== before.circuit.state && wants['circuit-changed']) {
    const failure = circuit.state === 'closed' ? undefined : circuit.failure;
    report({ type: 'circuit-changed', state: circuit.state, failure });
  }
  if (!wants['health-changed'] || hasSameProblems(before, after)) return;
  report({
    type: 'health-changed',
    before: health.problemsOf(before),
    after: health.problemsOf(after),
    starting: before.starting !== undefined,
  });
}

/** Compares one by one without a loop: this runs for each request. */
function hasSameProblems(one: health.Health, other: health.Health): boolean {
  return (
    (one.circuit.state === 'closed') === (other.circuit.state === 'closed') &&
    (one.unreachable === undefined) === (other.unreachable === undefined) &&
    (one.rejected === undefined) === (other.rejected === undefined) &&
    (one.unusable === undefined) === (other.unusable === undefined)
  );
}
