import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';

/** The durations of the last requests. */
export interface ResponseTimes {
  /** The durations in milliseconds, the oldest first. */
  readonly durations: readonly number[];
  /** The time at which the last request ended, in milliseconds of `clock.now()`. */
  readonly endedAt: number;
}

/**
 * The number of request durations that are remembered. With more durations, the estimates would change too slowly when
 * Flipt becomes slower or faster. With fewer durations, a single slow request would change the estimates too much.
 */
const KEPT = 20;
/**
 * If neither an answer nor a time-out has come for this many milliseconds, the remembered durations of requests do not
 * count any more, because the cause of slow responses might be gone.
 */
const KNOWN_FOR_MS = 10_000;

export const noTimes: ResponseTimes = { durations: [], endedAt: -Infinity };

export function withDuration(times: ResponseTimes, ms: number, now: number): ResponseTimes {
  return { durations: [...recent(times, now).slice(1 - KEPT), ms], endedAt: now };
}

/**
 * Returns the median of the recent durations of requests in milliseconds, or `undefined` if there are no recent
 * durations.
 */
export function usualMs(times: ResponseTimes, now: number): number | undefined {
  const durations = recent(times, now);
  return durations.toSorted((one, another) => one - another)[durations.length >> 1];
}

/** `leastMs` expects that the next response is at most 10 % faster than the fastest recent response. */
const MARGIN = 0.9;

/**
 * Returns the shortest time, in milliseconds, that a response is expected to take, or 0 if no recent request shows
 * this. A question that has less time than this until its deadline would probably be answered too late.
 */
export function leastMs(times: ResponseTimes, now: number): number {
  const durations = recent(times, now);
  return durations.length === 0 ? 0 : MARGIN * Math.min(...durations);
}

function recent({ durations, endedAt }: ResponseTimes, now: number): readonly number[] {
  return now - endedAt < KNOWN_FOR_MS ? durations : [];
}

/**
 * Makes the failure of questions that the provider does not send, because Flipt's answers would come too late. `limit`
 * is the largest number of requests under way at once, and `waiting` is the number of questions that still wait.
 */
export function tooLate(
  questions: number,
  waiting: number,
  limit: number,
  report: Runtime['report'],
): Failure {
  const count = questions + waiting;
  const why =
    `${count === 1 ? 'a question waits' : `${count} questions wait`} for Flipt, which answers ${limit} requests at once ` +
    '(batch.maxConcurrent) too slowly to answer by the deadline of each caller (deadlineMs)';
  return turnedAway(questions, 'late', why, report);
}

/** Makes the failure of a question that the provider does not send, because too many questions already wait. */
export function queueFull(maxWaiting: number, report: Runtime['report']): Failure {
  const why = `${maxWaiting} questions wait for Flipt already (batch.maxWaiting)`;
  return turnedAway(1, 'queue-full', why, report);
}

/**
 * Reports how many questions the provider does not send because of overload, and returns the failure of these
 * questions.
 */
export function turnedAway(
  questions: number,
  reason: 'late' | 'queue-full',
  why: string,
  report: Runtime['report'],
): Failure {
  const failure: Failure = { kind: 'overload', message: `overload: ${why}` };
  report({ type: 'shed', reason, questions, failure });
  return failure;
}
