/** How often the next streams get the newest event, in milliseconds. */
export const PACE_MS = 10;

/** How many streams may get the event now, if the last streams got it `elapsedMs` ago. */
export function portion(open: number, elapsedMs: number, jitterMs: number): number {
  const spreadMs = spreadOf(open, jitterMs);
  return spreadMs === 0 ? open : Math.ceil((elapsedMs * open) / spreadMs);
}

/**
 * The time in milliseconds over which an event is sent to the `open` streams. Each browser then sends a request, so the
 * app should not get all of them at once.
 */
export function spreadOf(open: number, jitterMs: number): number {
  return Math.min(jitterMs, open);
}

/** Changes that follow each other closely are repeated together, so that only a bounded number of repetitions waits. */
const REPETITIONS_AT_MOST = 16;

/** When to send an event of `now` again: `afterMs` later, or up to a sixteenth of that after it. */
export function repeatAt(now: number, afterMs: number): number {
  const stepMs = afterMs / REPETITIONS_AT_MOST;
  return Math.ceil((now + afterMs) / stepMs) * stepMs;
}
