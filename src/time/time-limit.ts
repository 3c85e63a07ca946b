import type { Clock } from './clock.js';

/** A timer that is so late shows that the event loop was blocked. */
const BLOCKED_MS = 100;
const SLICE_MS = 100;

export interface HowToLimit {
  /** Marks the timer as background work. Otherwise it keeps the process alive. */
  readonly background?: 'background' | undefined;
  /** The time passes in slices, so that a block at its beginning is noticed, too: it makes no later timer late. */
  readonly inSlices?: boolean;
  /** More time, once the time is up. Default: none. */
  readonly leftMs?: () => number;
}

/**
 * Calls `late` after `ms`, unless it is cancelled by the end of that turn: after a block, the result may only wait to be
 * read. It says whether the event loop was blocked in that time, so that the other side may have been in time. Returns
 * a function that cancels it.
 */
export function timeLimit(
  ms: number,
  clock: Clock,
  late: (isBlocked: boolean) => void,
  { background, inSlices = false, leftMs = () => 0 }: HowToLimit = {},
): () => void {
  let hasEnded = false;
  let isBlocked = false;
  let cancelTimer: () => void = () => undefined;

  const wait = (restMs: number) => {
    const sliceMs = inSlices ? Math.min(restMs, SLICE_MS) : restMs;
    const due = clock.now() + sliceMs;
    const run = () => {
      const lateMs = clock.now() - due;
      isBlocked ||= lateMs > BLOCKED_MS;
      const left = restMs - sliceMs - lateMs;
      if (inSlices && left > 0) wait(left);
      else clock.endOfTurn(end);
    };
    cancelTimer = background ? clock.after(sliceMs, run, background) : clock.after(sliceMs, run);
  };
  const end = () => {
    if (hasEnded) return;
    const left = leftMs();
    if (left > 0) wait(left);
    else late(isBlocked);
  };
  wait(ms);
  return () => {
    hasEnded = true;
    cancelTimer();
  };
}
