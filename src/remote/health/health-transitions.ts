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
 * All that the provider knows about Flipt's health. The functions of this file have no side effects. Most functions of
 * this file take the present state and return the next state.
 */
export interface Health {
  readonly circuit: Circuit;
  /** The start of the provider that is in progress, or `undefined` if no start is in progress. */
  readonly starting: Start | undefined;
  /**
   * The failure, if the start has failed for a reason other than the credentials, or if Flipt has answered neither the
   * polls of the snapshot nor a health check. As soon as Flipt answers a question or a health check, this member is
   * `undefined`.
   */
  readonly unreachable: Failure | undefined;
  /**
   * The failure, if Flipt rejects the credentials, or if there are no credentials to send, and otherwise `undefined`.
   */
  readonly rejected: Failure | undefined;
  /**
   * The failure, if no outage explains why Flipt has given at least ten unusable responses to questions in a row, and
   * has answered no question for at least 5 s. This member is `undefined` as soon as Flipt answers a question.
   */
  readonly unusable: Failure | undefined;
  readonly unusableInARow: number;
  /** The time when Flipt last answered questions, or, without background work, a poll. Health checks do not count. */
  readonly answeredAt: number;
  /**
   * The time when Flipt last responded to questions or passed a health check. A response that rejects the questions
   * counts. A response that might mean that Flipt is down, such as status 503, does not count.
   */
  readonly heardAt: number;
  /**
   * The time when a health check last failed in a way that can open the circuit, or `-Infinity` if Flipt has answered
   * questions or a health check since that time.
   */
  readonly checkFailedAt: number;
  /**
   * The health check that is planned because Flipt is unreachable, because the credentials are rejected or missing, or
   * because polls of the snapshot have failed for too long. This member is `undefined` if no such check is planned.
   */
  readonly recheck: Recheck | undefined;
  /**
   * The problems that the polls of the snapshot have found. Answers to questions, and health checks, do not change the
   * problems of the polls.
   */
  readonly watch: Watched;
}

interface Watched {
  /**
   * The failure of the last poll, or a time-out, if Flipt has not confirmed the snapshot for so long that the provider
   * might have missed changes, and otherwise `undefined`.
   */
  readonly lost: Failure | undefined;
  /**
   * The failure, if Flipt has no flags any more although it had some before. This member is `undefined` as long as
   * Flipt is not known to have lost its flags.
   */
  readonly flagsLost: Failure | undefined;
}

interface Recheck {
  readonly at: number;
  readonly delayMs: number;
}

interface Start extends Recheck {
  readonly until: number;
  /**
   * Is `true` if the start ends with the first failure, because the provider has a snapshot from which it can evaluate.
   */
  readonly isShort: boolean;
  readonly failure: Failure;
}

const START_DELAY_MS = 100;
/**
 * The delays between health checks, in milliseconds. The longest delay keeps the promise of the README that the
 * provider usually notices within about ten seconds that Flipt answers again.
 */
const RECHECK_MS = { first: 1_000, longest: 10_000 };
/** After this many unusable responses in a row, the cause is probably not a single flag. */
const TOO_MANY_UNUSABLE = 10;
/**
 * Unusable responses count as a problem only if Flipt has answered no question for this many milliseconds. With many
 * callers, ten unusable responses can come within a few milliseconds.
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

/** Returns the time at which the next health check is due, or Infinity if no check is due. */
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

/** Returns Flipt's health after a start that has ended without an answer. */
export function startFailed(health: Health, failure: Failure, moment: Moment): Health {
  const kind = policyOf(failure).cause === 'credentials' ? 'rejected' : 'unreachable';
  return checkedLater({ ...health, starting: undefined, [kind]: failure }, moment);
}

/** Returns Flipt's health after one HTTP request. */
export function attempted(health: Health, attempt: Attempt, moment: Moment): Health {
  const heardAt = attempt.failure === undefined ? moment.now : health.heardAt;
  return { ...health, heardAt, circuit: afterRequest(health.circuit, attempt, moment) };
}

/** Returns Flipt's health after Flipt has answered questions. */
export function answered({ circuit, starting, heardAt, watch }: Health, now: number): Health {
  return { ...HEALTHY, circuit, starting, heardAt, answeredAt: now, watch };
}

/**
 * Returns Flipt's health after questions to which Flipt gave no answer. This function does not detect that Flipt is
 * down, because the circuit breaker detects that.
 */
export function unanswered(health: Health, failure: Failure, moment: Moment): Health {
  const { cause, responded, countsForCircuit } = policyOf(failure);
  if (cause === 'credentials') {
    return checkedLater({ ...health, rejected: health.rejected ?? failure }, moment);
  }
  if (!responded || countsForCircuit === 'yes') return health;
  const unusableInARow = health.unusableInARow + 1;
  // If the circuit is open or Flipt is unreachable, the outage is the likely cause of the unusable responses.
  const isExplained = health.circuit.state !== 'closed' || health.unreachable !== undefined;
  const lasts = moment.now - health.answeredAt >= UNUSABLE_FOR_MS;
  const isNew = unusableInARow >= TOO_MANY_UNUSABLE && lasts && !isExplained;
  return { ...health, unusableInARow, unusable: health.unusable ?? (isNew ? failure : undefined) };
}

export function checking(health: Health): Health {
  return { ...health, circuit: halfOpen(health.circuit) };
}

/** Returns Flipt's health after a poll of the snapshot. */
export function polled(health: Health, failure: Failure | undefined): Health {
  const { watch } = health;
  const isLoss = failure?.kind === 'flags-lost';
  const lost = watch.lost && (failure ?? watch.lost);
  // While the polls fail for a reason other than lost flags, the provider does not know whether Flipt has its flags
  // again, so that `flagsLost` stays as it was.
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
 * Returns Flipt's health after the watch of the snapshot (its polls and its stream) has got the new state `condition`.
 * If `condition` is `lost`, a health check finds out whether Flipt is unreachable. `checkInMs` is the number of
 * milliseconds until this health check. Default: at once.
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
 * Returns Flipt's health after a health check. A health check that passed ends all problems except unusable responses
 * and the problems that polls have found, because a health check cannot show whether these problems have ended.
 */
export function checked(before: Health, failure: Failure | undefined, moment: Moment): Health {
  const { unusable, unusableInARow, answeredAt, watch } = before;
  if (failure === undefined)
    return { ...HEALTHY, unusable, unusableInARow, answeredAt, heardAt: moment.now, watch };
  const { cause, responded, countsForCircuit } = policyOf(failure);
  // A health check is not about any flag, so a response with status 500 to a health check means that Flipt itself
  // fails.
  const isThere = responded && countsForCircuit === 'no';
  // If Flipt answers neither polls nor the health check, Flipt is unreachable. Failed polls alone do not prove that
  // Flipt is unreachable, because the event loop might have been blocked.
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
  // If Flipt rejects the credentials, the start ends, because Flipt would reject the same credentials in the next
  // check, too.
  if (rejectsCredentials(failure) || starting.isShort) return startFailed(health, failure, moment);
  const { delayMs } = starting;
  return { ...health, starting: { ...starting, failure, at: moment.now + delayMs, delayMs: delayMs * 2 } };
}

/**
 * Plans the next health check if Flipt is unreachable, or if the credentials are rejected or missing. As long as nobody
 * asks Flipt a question, only a health check can show that the problem has ended.
 */
function checkedLater(health: Health, moment: Moment): Health {
  if (health.unreachable === undefined && health.rejected === undefined) return health;
  return { ...health, recheck: health.recheck ?? later(RECHECK_MS.first, moment) };
}

function later(ms: number, { now, jitter }: Moment): Recheck {
  const delayMs = Math.min(ms, RECHECK_MS.longest);
  return { at: now + jitter(delayMs), delayMs };
}
