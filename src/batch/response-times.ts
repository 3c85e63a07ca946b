/** Durations of the last requests, in milliseconds, oldest first. */
export type ResponseTimes = readonly number[];

/** Enough that one slow request changes little, few enough that a change is seen within seconds. */
const KEPT = 20;

export const noTimes: ResponseTimes = [];

export function withDuration(times: ResponseTimes, ms: number): ResponseTimes {
  return [...times.slice(1 - KEPT), ms];
}

/** How long a response usually takes: the median. `undefined` before the first one. */
export function usualMs(times: ResponseTimes): number | undefined {
  return times.toSorted((one, another) => one - another)[times.length >> 1];
}

/** The next response may be up to 10 % faster than the fastest recent one. */
const MARGIN = 0.9;

/** The least time that a response takes. A question whose callers have less time left cannot be answered. */
export function leastMs(times: ResponseTimes): number {
  return times.length === 0 ? 0 : MARGIN * Math.min(...times);
}
