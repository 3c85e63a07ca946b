/** How often streams that are owed an event get one. */
export const PACE_MS = 10;

/** How many streams may get an event, if the last ones got theirs `elapsedMs` ago. */
export function portion(open: number, elapsedMs: number, jitterMs: number): number {
  const spreadMs = spreadOf(open, jitterMs);
  return spreadMs === 0 ? open : Math.ceil((elapsedMs * open) / spreadMs);
}

/** Milliseconds over which the browsers of so many streams fetch their flags: each of them is a request. */
export function spreadOf(open: number, jitterMs: number): number {
  return Math.min(jitterMs, open);
}

/** Changes that follow each other closely share one repetition, so that their number stays bounded. */
const REPETITIONS_AT_MOST = 16;

/** When to repeat an event of now. Never earlier than `afterMs`, and at most a sixteenth of it later. */
export function repeatAt(now: number, afterMs: number): number {
  const stepMs = afterMs / REPETITIONS_AT_MOST;
  return Math.ceil((now + afterMs) / stepMs) * stepMs;
}
