/** Durations of the last requests, in milliseconds, oldest first. */
export type Pace = readonly number[];

/** Enough that one slow request changes little, few enough that a change is seen within seconds. */
const KEPT = 20;

export const unknownPace: Pace = [];

export function withDuration(pace: Pace, ms: number): Pace {
  return [...pace.slice(1 - KEPT), ms];
}

/** How long a response usually takes: the median. `undefined` before the first one. */
export function usualMs(pace: Pace): number | undefined {
  return pace.toSorted((one, another) => one - another)[pace.length >> 1];
}

/** How much faster than all recent responses the next one may be. */
const MARGIN = 0.9;

/** Less than a response takes. A question whose callers have less time left than that cannot be answered. */
export function leastMs(pace: Pace): number {
  return pace.length === 0 ? 0 : MARGIN * Math.min(...pace);
}
