import { setMaxListeners } from 'node:events';
import type { Clock, TimerKind } from './clock.js';

/** The longest that a close waits for what hangs. The process may be about to end. */
export const CLOSE_MS = 2_000;

/** Its signal ends all that is under way. Each request and each wait for credentials adds a listener. */
export function closingController(): AbortController {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  return closing;
}

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
    const dueAt = clock.now() + ms;
    cancel = timeLimit(() => dueAt, clock, timeIsUp, { kind });
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
}

/**
 * Calls `late` when the time is up. That moment may move. A cancel in the same turn of the event loop still counts,
 * because after a block the result may only wait to be read. `isBlocked`: the event loop was blocked in that time, so
 * the other side may have been in time. Returns a function that cancels.
 */
export function timeLimit(
  dueAt: () => number,
  clock: Clock,
  late: (isBlocked: boolean) => void,
  { kind = 'awaited', inSlices = false }: HowToLimit = {},
): () => void {
  let hasEnded = false;
  let isBlocked = false;
  let cancelTimer: () => void = () => undefined;

  const wait = () => {
    const leftMs = dueAt() - clock.now();
    const sliceMs = inSlices ? Math.min(leftMs, SLICE_MS) : leftMs;
    const sliceEnd = clock.now() + sliceMs;
    const ended = () => {
      isBlocked ||= clock.now() - sliceEnd > BLOCKED_MS;
      if (inSlices && clock.now() < dueAt()) wait();
      else clock.endOfTurn(end);
    };
    // Timers drop fractions: this one would come too early.
    cancelTimer = clock.after(Math.ceil(sliceMs), ended, kind);
  };
  const end = () => {
    if (hasEnded) return;
    if (inSlices && clock.now() < dueAt()) wait();
    else late(isBlocked);
  };
  wait();
  return () => {
    hasEnded = true;
    cancelTimer();
  };
}

/** Settles as the promise does, or with `ended` when the signal is aborted. */
export function untilAborted<T, Ended>(
  coming: Promise<T>,
  signal: AbortSignal | undefined,
  ended: Ended,
): Promise<T | Ended> {
  if (signal === undefined) return coming;
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      resolve(ended);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    void coming.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', giveUp);
    });
  });
}

/** Waits, until the signal ends that at the latest. */
export async function passed(ms: number, signal: AbortSignal | undefined, clock: Clock): Promise<void> {
  let cancel: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await untilAborted(waiting, signal, undefined);
  cancel();
}
