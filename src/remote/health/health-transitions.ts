import type { Problems } from '../../model/events/internal-events.js';
import type { Problem, WatchCondition } from '../../model/events/flipt-event.js';
import { policyOf, rejectsCredentials, type Failure } from '../../model/failure.js';
import {
  afterRequest,
  CLOSED_CIRCUIT,
  halfOpen,
  openAgain,
  openAtLast,
  type Attempt,
  type Circuit,
  type Moment,
} from './circuit-breaker.js';

/**
 * Everything that is known about the health of the service. The functions of this file are pure transitions: each takes
 * a state and returns the next state.
 */
export interface Health {
  readonly circuit: Circuit;
  /** The start that is in progress, or `undefined` if no start is in progress. */
  readonly starting: Start | undefined;
  /**
   * The newest failure if the start has failed, or if the service has answered neither the polls of the snapshot nor a
   * check. The member is `undefined` if the service has answered a question or a check since then.
   */
  readonly unreachable: Failure | undefined;
  /**
   * The failure if the service rejects the credentials or there are no credentials to send, and `undefined` if the
   * credentials are not known to be rejected.
   */
  readonly rejected: Failure | undefined;
  /**
   * The failure if the service responds, but every response is unusable, and `undefined` if there is no such problem.
   */
  readonly unusable: Failure | undefined;
  readonly unusableInARow: number;
  /** The time when the service last answered questions. Health checks do not count. */
  readonly answeredAt: number;
  /**
   * The time when the service last responded to questions or passed a health check. A response that rejects the
   * questions counts, too, but not one that may mean that the service is down.
   */
  readonly heardAt: number;
  /** The time when a check last failed because of the service. */
  readonly checkFailedAt: number;
  /**
   * The next check of a service that is unreachable or rejects the credentials, or of which the watch of the snapshot
   * was just lost. The recheck is `undefined` if no such check is planned.
   */
  readonly recheck: Recheck | undefined;
  /**
   * The problems that the polls of the snapshot have found. Answers to questions and checks do not change these
   * problems.
   */
  readonly watch: Watched;
}

interface Watched {
  /**
   * The failure of the last poll if the snapshot has not been confirmed for so long that changes may have been missed,
   * and `undefined` if the snapshot was confirmed in time.
   */
  readonly lost: Failure | undefined;
  /**
   * The failure if the service no longer has any flags although it had some before, and `undefined` if the service is
   * not known to have lost its flags.
   */
  readonly flagsLost: Failure | undefined;
}

interface Recheck {
  readonly at: number;
  readonly delayMs: number;
}

interface Start extends Recheck {
  readonly until: number;
  /** Whether the start ends with the first failure, because the provider has a snapshot from which it can evaluate. */
  readonly isShort: boolean;
  readonly failure: Failure;
}

const START_DELAY_MS = 100;
/**
 * The README promises that the provider notices within about ten seconds when the service is back. The longest delay
 * keeps that promise.
 */
const RECHECK_MS = { first: 1_000, longest: 10_000 };
/** After this many unusable responses in a row, the cause is probably not a single flag. */
const TOO_MANY_UNUSABLE = 10;
/**
 * Unusable responses count as a problem only if no usable response has come for these milliseconds either, because with
 * many callers, ten responses take only some milliseconds.
 */
const UNUSABLE_FOR_MS = 5_000;

export const HEALTHY: Health = {
  circuit: CLOSED_CIRCUIT,
  starting: undefined,
  unreachable: undefined,
  rejected: undefined,
  unusable: undefined,
  unusableInARow: 0,
  answeredAt: -Infinity,
  heardAt: -Infinity,
  checkFailedAt: -Infinity,
  recheck: undefined,
  watch: { lost: undefined, flagsLost: undefined },
};

export function problemsOf({ circuit, unreachable, rejected, unusable, watch }: Health): Problems {
  const problems = new Map<Problem, Failure>();
  if (unreachable !== undefined) problems.set('unreachable', unreachable);
  if (rejected !== undefined) problems.set('credentials-rejected', rejected);
  if (circuit.state !== 'closed') problems.set('circuit-open', circuit.failure);
  if (unusable !== undefined) problems.set('responses-unusable', unusable);
  if (watch.flagsLost !== undefined) problems.set('flags-lost', watch.flagsLost);
  if (watch.lost !== undefined) problems.set('watch-lost', watch.lost);
  return problems;
}

/** Returns the time at which the next check is due, or Infinity if no check is due. */
export function nextCheckAt({ circuit, starting, recheck }: Health): number {
  const openUntil = circuit.state === 'open' ? circuit.checkAt : Infinity;
  return Math.min(starting?.at ?? Infinity, recheck?.at ?? Infinity, openUntil);
}

export function started(health: Health, withinMs: number, isShort: boolean, now: number): Health {
  const failure: Failure = {
    kind: 'timeout',
    message: `Flipt did not answer within ${Math.round(withinMs)} ms (initTimeoutMs)`,
  };
  return {
    ...health,
    starting: { at: now, delayMs: START_DELAY_MS, until: now + withinMs, isShort, failure },
  };
}

/** Returns the health that follows when the start has ended without an answer. */
export function startFailed(health: Health, failure: Failure, moment: Moment): Health {
  const kind = policyOf(failure).cause === 'credentials' ? 'rejected' : 'unreachable';
  return checkedLater({ ...health, starting: undefined, [kind]: failure }, moment);
}

/** Returns the health that follows from one attempt of a request. */
export function attempted(health: Health, attempt: Attempt, moment: Moment): Health {
  const heardAt = attempt.failure === undefined ? moment.now : health.heardAt;
  return { ...health, heardAt, circuit: afterRequest(health.circuit, attempt, moment) };
}

/** Returns the health that follows when the service has answered questions. */
export function answered({ circuit, starting, heardAt, watch }: Health, now: number): Health {
  return { ...HEALTHY, circuit, starting, heardAt, answeredAt: now, watch };
}

/**
 * Returns the health that follows when questions were not answered. This function does not detect that the service is
 * down, which the circuit breaker detects.
 */
export function unanswered(health: Health, failure: Failure, moment: Moment): Health {
  const { cause, responded, countsForCircuit } = policyOf(failure);
  if (cause === 'credentials') {
    return checkedLater({ ...health, rejected: health.rejected ?? failure }, moment);
  }
  if (!responded || countsForCircuit === 'yes') return health;
  const unusableInARow = health.unusableInARow + 1;
  // If another problem is known already, that problem is the likely cause of the unusable responses.
  const isExplained = health.circuit.state !== 'closed' || health.unreachable !== undefined;
  const lasts = moment.now - health.answeredAt >= UNUSABLE_FOR_MS;
  const isNew = unusableInARow >= TOO_MANY_UNUSABLE && lasts && !isExplained;
  return { ...health, unusableInARow, unusable: health.unusable ?? (isNew ? failure : undefined) };
}

export function checking(health: Health): Health {
  return { ...health, circuit: halfOpen(health.circuit) };
}

/** Returns the health that follows from a poll of the snapshot. */
export function polled(health: Health, failure: Failure | undefined): Health {
  const { watch } = health;
  const isLoss = failure?.kind === 'flags-lost';
  const lost = watch.lost && (failure ?? watch.lost);
  // While the polls fail for another reason, nobody knows whether the service has its flags again, so `flagsLost` stays
  // as it was.
  const flagsLost = isLoss ? (watch.flagsLost ?? failure) : failure && watch.flagsLost;
  return flagsLost === watch.flagsLost && lost === watch.lost
    ? health
    : { ...health, watch: { flagsLost, lost } };
}

const UNCONFIRMED: Failure = {
  kind: 'timeout',
  message: 'Flipt has not confirmed the snapshot for three intervals',
};

/**
 * Returns the health that follows when the watch of the snapshot has a new state, `condition`. If `condition` is
 * `lost`, a check decides whether the service is gone. The check comes at once, or after `checkInMs` milliseconds.
 */
export function watched(
  health: Health,
  condition: WatchCondition,
  failure: Failure | undefined,
  { now }: Moment,
  checkInMs = 0,
): Health {
  const isLost = condition === 'lost';
  const watch = { ...health.watch, lost: isLost ? (failure ?? UNCONFIRMED) : undefined };
  const first = { at: now + checkInMs, delayMs: RECHECK_MS.first };
  return { ...health, watch, recheck: isLost ? first : health.recheck };
}

/**
 * Returns the health that follows from a check. A check that passed ends all problems except unusable responses and the
 * problems that the polls have found, because a check cannot see those.
 */
export function checked(before: Health, failure: Failure | undefined, moment: Moment): Health {
  const { unusable, unusableInARow, answeredAt, watch } = before;
  if (failure === undefined)
    return { ...HEALTHY, unusable, unusableInARow, answeredAt, heardAt: moment.now, watch };
  const { cause, responded, countsForCircuit } = policyOf(failure);
  // The check concerns no flag, so a response with status 500 means that the service itself fails.
  const isThere = responded && countsForCircuit === 'no';
  // If the service answers neither polls nor the check, which concerns no flag, the service is gone. Lost polls alone
  // do not prove that, because the event loop may have been blocked.
  const isGone = watch.lost !== undefined && (cause === 'service' || cause === 'question');
  const open = isGone ? openAtLast : openAgain;
  const health = {
    ...before,
    circuit: isThere ? CLOSED_CIRCUIT : open(before.circuit, failure, moment),
    unreachable: isGone || (before.unreachable && cause !== 'provider') ? failure : before.unreachable,
    checkFailedAt: countsForCircuit === 'no' ? before.checkFailedAt : moment.now,
  };
  const { starting, recheck } = before;
  if (starting === undefined) {
    const rejected = before.rejected ?? (cause === 'credentials' ? failure : undefined);
    const again = recheck && later(recheck.delayMs * 2, moment);
    return checkedLater({ ...health, rejected, recheck: again }, moment);
  }
  // The start ends here, because the service would reject the same credentials again if the start sent another check
  // soon.
  if (rejectsCredentials(failure) || starting.isShort) return startFailed(health, failure, moment);
  const { delayMs } = starting;
  return { ...health, starting: { ...starting, failure, at: moment.now + delayMs, delayMs: delayMs * 2 } };
}

/**
 * Plans the next check if the service is unreachable or rejects the credentials, because a check has to find out when
 * that problem has ended.
 */
function checkedLater(health: Health, moment: Moment): Health {
  if (health.unreachable === undefined && health.rejected === undefined) return health;
  return { ...health, recheck: health.recheck ?? later(RECHECK_MS.first, moment) };
}

function later(ms: number, { now, jitter }: Moment): Recheck {
  const delayMs = Math.min(ms, RECHECK_MS.longest);
  return { at: now + jitter(delayMs), delayMs };
}
