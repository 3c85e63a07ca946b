/**
 * The app sends a new event to a few streams at a time, and waits this many milliseconds before it sends the event to
 * the next few streams.
 */
export const PACE_MS = 10;

/** Returns how many streams can get the event now, if the last few streams got it `elapsedMs` ago. */
export function portion(open: number, elapsedMs: number, jitterMs: number): number {
  const spreadMs = spreadOf(open, jitterMs);
  return spreadMs === 0 ? open : Math.ceil((elapsedMs * open) / spreadMs);
}

/**
 * Returns the time in milliseconds over which the app sends an event to the `open` streams. Each browser that gets the
 * event sends a request, and the app should not get all of these requests at once.
 */
export function spreadOf(open: number, jitterMs: number): number {
  return Math.min(jitterMs, open);
}

/**
 * About this many repetitions of events can wait at a time, because events that follow each other closely are repeated
 * together.
 */
const REPETITIONS_AT_MOST = 16;

/**
 * Returns the time at which an event of the time `now` is sent again: at least `afterMs` after `now`, and at most a
 * sixteenth of `afterMs` later.
 */
export function repeatAt(now: number, afterMs: number): number {
  const stepMs = afterMs / REPETITIONS_AT_MOST;
  return Math.ceil((now + afterMs) / stepMs) * stepMs;
}
