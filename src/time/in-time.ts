import type { Clock, TimerKind } from './clock.js';

/**
 * Settles as the promise does, or rejects with the error of `late` when the time is up. `isBlocked`: the event loop was
 * blocked in that time.
 */
export async function inTime<T>(
  coming: PromiseLike<T>,
  ms: number,
  clock: Clock,
  late: (isBlocked: boolean) => Error,
  kind?: TimerKind,
): Promise<T> {
  let cancel: () => void = () => undefined;
  const timeUp = new Promise<never>((_, reject) => {
    const timeIsUp = (isBlocked: boolean) => {
      reject(late(isBlocked));
    };
    cancel = timeLimit(ms, clock, timeIsUp, { kind });
  });
  try {
    return await Promise.race([coming, timeUp]);
  } finally {
    cancel();
  }
}

const LATE = new Error('late');

/** The same with `late` as the result when the time is up. */
export function orLate<T>(
  coming: PromiseLike<T>,
  ms: number,
  clock: Clock,
  kind?: TimerKind,
): Promise<T | 'late'> {
  return inTime(coming, ms, clock, () => LATE, kind).catch((error: unknown) => {
    if (error === LATE) return 'late' as const;
    throw error;
  });
}

/** A timer that is so late shows that the event loop was blocked. */
const BLOCKED_MS = 100;
const SLICE_MS = 100;

interface HowToLimit {
  /** Default: `awaited`. */
  readonly kind?: TimerKind | undefined;
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
  { kind = 'awaited', inSlices = false, leftMs = () => 0 }: HowToLimit = {},
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
    cancelTimer = clock.after(sliceMs, run, kind);
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
