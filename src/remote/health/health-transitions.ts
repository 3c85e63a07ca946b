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
 * Everything that is known about the service. The functions below are pure transitions: each takes a state and returns
 * the next one.
 */
export interface Health {
  readonly circuit: Circuit;
  /** The start that is in progress; `undefined` if none is. */
  readonly starting: Start | undefined;
  /** Set if the service has not answered correctly since the start, or since its watch was lost. */
  readonly unreachable: Failure | undefined;
  /** Set if the service rejects the credentials, or if there are none to send. */
  readonly rejected: Failure | undefined;
  /** Set if the service responds, but with nothing usable. */
  readonly unusable: Failure | undefined;
  readonly unusableInARow: number;
  /** The time when the service last answered questions. */
  readonly answeredAt: number;
  /** The time when the service last answered a request, whatever it was about. */
  readonly heardAt: number;
  /** The time when a check last failed because of the service. */
  readonly checkFailedAt: number;
  /** The next check of a service that is unreachable, that rejects the credentials, or whose watch was just lost. */
  readonly recheck: Recheck | undefined;
  /** What the polls of the snapshot have found. Answers and checks do not change it. */
  readonly watch: Watched;
}

interface Watched {
  /** Why the last poll has failed, if the snapshot has not been confirmed for so long that changes may be missed. */
  readonly lost: Failure | undefined;
  /** Set if the service has no flags any more where it had some. */
  readonly flagsLost: Failure | undefined;
}

interface Recheck {
  readonly at: number;
  readonly delayMs: number;
}

interface Start extends Recheck {
  readonly until: number;
  /** Whether the start ends with the first failure, because a snapshot is there to evaluate from. */
  readonly isShort: boolean;
  readonly failure: Failure;
}

const START_DELAY_MS = 100;
/**
 * The README promises that a service that is back is noticed within about ten seconds. The longest delay keeps that
 * promise.
 */
const RECHECK_MS = { first: 1_000, longest: 10_000 };
/** After this many unusable responses in a row, the cause is not one single flag. */
const TOO_MANY_UNUSABLE = 10;
/**
 * The problem also needs this time without any usable response. With many callers, ten responses take only some
 * milliseconds.
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

/** Returns when the next check is due; Infinity if none is. */
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

/** Returns the health after the start ended without an answer. */
export function startFailed(health: Health, failure: Failure, moment: Moment): Health {
  const kind = policyOf(failure).cause === 'credentials' ? 'rejected' : 'unreachable';
  return checkedLater({ ...health, starting: undefined, [kind]: failure }, moment);
}

/** Returns the health after one attempt of a request. */
export function attempted(health: Health, attempt: Attempt, moment: Moment): Health {
  const heardAt = attempt.failure === undefined ? moment.now : health.heardAt;
  return { ...health, heardAt, circuit: afterRequest(health.circuit, attempt, moment) };
}

/** Returns the health after the service has answered questions. */
export function answered({ circuit, starting, heardAt, watch }: Health, now: number): Health {
  return { ...HEALTHY, circuit, starting, heardAt, answeredAt: now, watch };
}

/**
 * Returns the health after questions were not answered. If the service is down, the circuit breaker notices that, and
 * not this function.
 */
export function unanswered(health: Health, failure: Failure, moment: Moment): Health {
  const { cause, responded, countsForCircuit } = policyOf(failure);
  if (cause === 'credentials') {
    return checkedLater({ ...health, rejected: health.rejected ?? failure }, moment);
  }
  if (!responded || countsForCircuit === 'yes') return health;
  const unusableInARow = health.unusableInARow + 1;
  // If another problem is known already, it is the likely cause.
  const isExplained = health.circuit.state !== 'closed' || health.unreachable !== undefined;
  const lasts = moment.now - health.answeredAt >= UNUSABLE_FOR_MS;
  const isNew = unusableInARow >= TOO_MANY_UNUSABLE && lasts && !isExplained;
  return { ...health, unusableInARow, unusable: health.unusable ?? (isNew ? failure : undefined) };
}

export function checking(health: Health): Health {
  return { ...health, circuit: halfOpen(health.circuit) };
}

/** Returns the health after a poll of the snapshot. */
export function polled(health: Health, failure: Failure | undefined): Health {
  const { watch } = health;
  const isLoss = failure?.kind === 'flags-lost';
  const lost = watch.lost && (failure ?? watch.lost);
  // While the service fails in another way, nobody knows whether it has its flags again, so that this stays as it was.
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
 * Returns the health after the watch of the snapshot got a new condition. If the watch is lost, a check decides, at once
 * or after `checkInMs`, whether the service is gone.
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

/** Returns the health after a check. A check that passed ends all problems except those that it cannot see. */
export function checked(before: Health, failure: Failure | undefined, moment: Moment): Health {
  const { unusable, unusableInARow, answeredAt, watch } = before;
  if (failure === undefined)
    return { ...HEALTHY, unusable, unusableInARow, answeredAt, heardAt: moment.now, watch };
  const { cause, responded, countsForCircuit } = policyOf(failure);
  // The check concerns no flag, so that a 500 is the service's own failure.
  const isThere = responded && countsForCircuit === 'no';
  // The service answers neither polls nor a question that concerns no flag, so it is gone. A blocked event loop would
  // prove nothing.
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
  // The start ends here: if it tried again soon, the service would reject the credentials again.
  if (rejectsCredentials(failure) || starting.isShort) return startFailed(health, failure, moment);
  const { delayMs } = starting;
  return { ...health, starting: { ...starting, failure, at: moment.now + delayMs, delayMs: delayMs * 2 } };
}

/** Plans the next check if a problem lasts that only a check can end. */
function checkedLater(health: Health, moment: Moment): Health {
  if (health.unreachable === undefined && health.rejected === undefined) return health;
  return { ...health, recheck: health.recheck ?? later(RECHECK_MS.first, moment) };
}

function later(ms: number, { now, jitter }: Moment): Recheck {
  const delayMs = Math.min(ms, RECHECK_MS.longest);
  return { at: now + jitter(delayMs), delayMs };
}
