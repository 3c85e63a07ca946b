import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';

/** The durations of the last requests. */
export interface ResponseTimes {
  /** The durations in milliseconds, the oldest first. */
  readonly durations: readonly number[];
  /** When the last request ended, in the clock's milliseconds. */
  readonly endedAt: number;
}

/**
 * This many durations are kept: enough that one slow request changes little, and few enough that a change is seen
 * within seconds.
 */
const KEPT = 20;
/**
 * If the service has answered nothing for this time, its durations do not count any more, because what made it slow may
 * have passed.
 */
const KNOWN_FOR_MS = 10_000;

export const noTimes: ResponseTimes = { durations: [], endedAt: -Infinity };

export function withDuration(times: ResponseTimes, ms: number, now: number): ResponseTimes {
  return { durations: [...recent(times, now).slice(1 - KEPT), ms], endedAt: now };
}

/** Returns how long a response usually takes, which is the median; `undefined` if that is not known. */
export function usualMs(times: ResponseTimes, now: number): number | undefined {
  const durations = recent(times, now);
  return durations.toSorted((one, another) => one - another)[durations.length >> 1];
}

/** The next response may be up to 10 % faster than the fastest recent one. */
const MARGIN = 0.9;

/**
 * Returns the least time that a response takes. If callers of a question have less time left, it cannot be answered in
 * time.
 */
export function leastMs(times: ResponseTimes, now: number): number {
  const durations = recent(times, now);
  return durations.length === 0 ? 0 : MARGIN * Math.min(...durations);
}

function recent({ durations, endedAt }: ResponseTimes, now: number): readonly number[] {
  return now - endedAt < KNOWN_FOR_MS ? durations : [];
}

/**
 * Makes the failure of questions that are turned away, because the requests under way, at most `limit`, take too long.
 * `waiting` is the number of questions that stay.
 */
export function tooLate(
  questions: number,
  waiting: number,
  limit: number,
  report: Runtime['report'],
): Failure {
  const why =
    `${questions + waiting} questions wait for Flipt, which answers ${limit} requests at once ` +
    '(batch.maxConcurrent) too slowly to answer all of them by their deadlines (deadlineMs)';
  return turnedAway(questions, 'late', why, report);
}

/** Makes the failure of a question that is turned away because too many wait already. */
export function queueFull(maxWaiting: number, report: Runtime['report']): Failure {
  const why = `${maxWaiting} questions wait for Flipt already (batch.maxWaiting)`;
  return turnedAway(1, 'queue-full', why, report);
}

/** Reports how many questions are turned away, and returns the failure of each. */
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
