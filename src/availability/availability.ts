import type { Clock } from '../clock.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import { traitsOfOutcome } from '../http/outcome.js';
import type { Reply, Send } from '../http/reply.js';
import { isFailure, type Answer, type AskAtOnce } from '../model/answer.js';
import { traitsOf } from '../model/failure-traits.js';
import type { Failure } from '../model/failure.js';
import type { CircuitSettings, Moment } from './circuit.js';
import type { HealthCheck } from './health-check.js';
import * as health from './health.js';

export interface AvailabilitySettings {
  /** Goes past the circuit breaker. */
  readonly check: HealthCheck;
  /** Differs once other credentials are sent. */
  readonly credentialsVersion: () => number;
  /** `undefined`: the circuit never opens. */
  readonly breaker: CircuitSettings | undefined;
  readonly reporter: Reporter;
}

/** The one owner of the question whether the service is healthy: one state, one timer, one check at a time. */
export interface Availability {
  /**
   * Checks the service until it answers, rejects the credentials, or the time is up. A short start ends with its first
   * check, whatever its outcome.
   */
  readonly start: (withinMs: number, isShort?: boolean) => Promise<Failure | undefined>;
  /** Sends while the circuit is closed, and learns from each attempt. */
  readonly throughCircuit: (send: Send) => Send;
  /** Learns from the outcome of whole requests. */
  readonly observed: (askAtOnce: AskAtOnce) => AskAtOnce;
  /** Counts a failure that only its context shows to be the service's, such as a 500 for everything. */
  readonly serviceFailed: (failure: Failure) => void;
  /** Why nothing would be sent now, `undefined` if something would. */
  readonly refusal: () => Failure | undefined;
  /** Ends the timer, and a start with this failure. Nothing is reported any more. */
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
  /** What a start ends with after the close; `undefined` before. */
  let closed: Failure | undefined;
  let cancelTimer: () => void = () => undefined;
  let endStart: (failure: Failure | undefined) => void = () => undefined;

  /** Between half of a time and all of it. */
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
    // A caller waits for the start, but not for a check in the background.
    cancelTimer = clock.after(delayMs, due, state.starting === undefined ? 'background' : undefined);
  };

  const giveUpStart = () => {
    const failure = state.starting?.failure;
    if (failure === undefined) return;
    become(health.startFailed(state, failure, moment()));
    endStart(failure);
  };

  /** Concurrent callers share one check. */
  const runCheck = (): Promise<Failure | undefined> => {
    if (checking !== undefined) return checking;
    checking = checkOnce();
    become(health.checking(state));
    return checking;
  };

  const checkOnce = async () => {
    const failure = await check();
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

  /** Whether the service accepts the credentials for a question that concerns no flag. */
  const areCredentialsAccepted = async () => {
    if (state.rejected !== undefined) return false;
    if (clock.now() - acceptedAt < ACCEPTED_FOR_MS) return true;
    const isAccepted = (await runCheck()) === undefined;
    if (isAccepted) acceptedAt = clock.now();
    return isAccepted;
  };

  /** A 401 or 403 concerns the credentials only if a check is rejected, too. */
  const settled = async (outcome: Failure, sentWith: number, again: () => Promise<Outcome>) => {
    if (!(await areCredentialsAccepted())) return outcome;
    // The check may have refreshed them; and a single 401, as of one instance of many, is nothing to notice.
    const isWorthIt = outcome.kind === 'unauthorized' || credentialsVersion() !== sentWith;
    const second = isWorthIt ? await again() : outcome;
    return isFailure(second) && isRejection(second)
      ? { ...second, kind: 'refused-request' as const }
      : second;
  };

  const refusal = () => (state.circuit.state === 'closed' ? undefined : refused(state.circuit.failure));

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
      const sentAt = clock.now();
      const outcome = await send(request);
      if (provesSomething(outcome)) {
        become(health.attempted(state, { failure: countedFailure(outcome), sentAt }, moment(), breaker));
      }
      return outcome;
    },
    observed: (askAtOnce) => async (questions) => {
      const version = credentialsVersion();
      const first = await askAtOnce(questions);
      const outcome =
        isFailure(first) && isRejection(first)
          ? await settled(first, version, () => askAtOnce(questions))
          : first;
      // A check that was rejected has changed the state already. One that failed otherwise proves nothing.
      if (!isFailure(outcome)) become(health.answered(state));
      else if (!isRejection(outcome)) become(health.unanswered(state, outcome, moment()));
      return outcome;
    },
    serviceFailed(failure) {
      become(health.attempted(state, { failure, sentAt: clock.now() }, moment(), breaker));
    },
    refusal,
    close(failure) {
      closed = failure;
      cancelTimer();
      endStart(failure);
    },
  };
}

/** How long a passed check shows that the credentials are accepted. */
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
    message: `circuit open: Flipt is not asked for the moment, after repeated failures; the last: ${message}`,
  };
}

/** Not if nothing was sent. Nor after a 500: while the circuit is closed, the parts of its batch show whose it is. */
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

/** Compared one by one: this runs for each request. */
function hasSameProblems(one: health.Health, other: health.Health): boolean {
  return (
    (one.circuit.state === 'closed') === (other.circuit.state === 'closed') &&
    (one.unreachable === undefined) === (other.unreachable === undefined) &&
    (one.rejected === undefined) === (other.rejected === undefined) &&
    (one.unusable === undefined) === (other.unusable === undefined)
  );
}
