import { setMaxListeners } from 'node:events';
import type { Clock, TimerKind } from './clock.js';

/**
 * The close of a provider, of a typed client or of the embedded service waits at most this long for work that hangs. A
 * close must not take longer, because the process might be about to end.
 */
export const CLOSE_MS = 2_000;

/**
 * Makes the controller for a close: aborting its signal ends requests and waits that are under way. Each request and
 * each wait for credentials adds a listener to the signal, so the limit on listeners is lifted.
 */
export function closingController(): AbortController {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  return closing;
}

/**
 * Settles as the promise `coming` does, or rejects with the error that the function `late` makes when `ms` milliseconds
 * have passed. The argument of `late` says whether a timer has noticed that the event loop was blocked.
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

/** Settles as the promise `coming` does, or resolves with `'late'` when `ms` milliseconds have passed. */
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

/** If a timer is late by more milliseconds than this, the event loop counts as blocked. */
const BLOCKED_MS = 100;
const SLICE_MS = 100;

interface HowToLimit {
  /** The kind of the timer that measures the time. Default: `awaited`. */
  readonly kind?: TimerKind | undefined;
  /**
   * Whether several short timers measure the time, one after another, instead of one long timer. Short timers also
   * notice if the event loop is blocked only at the beginning of the time. One long timer does not notice a block at
   * the beginning of the time, because it fires punctually all the same.
   */
  readonly inSlices?: boolean;
}

/**
 * Calls the function `late` when the time is up. The function `dueAt` returns the moment at which the time is up, and
 * is called more than once, so that the moment can change. If the limit is cancelled in the turn of the event loop in
 * which the time is up, `late` is not called: after a block of the event loop, the result might have arrived in time,
 * but not have been read yet. `isBlocked` is true if a timer has noticed that the event loop was blocked, so that the
 * other side might have answered in time. Returns a function that cancels the limit.
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
    // Node's timers drop fractions of a millisecond. If the time were not rounded up, the timer would fire too early.
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

/** Settles as the promise `coming` does, or resolves with `ended` when the signal is aborted. */
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

/** Waits for `ms` milliseconds, or until the signal is aborted. */
export async function passed(ms: number, signal: AbortSignal | undefined, clock: Clock): Promise<void> {
  let cancel: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await untilAborted(waiting, signal, undefined);
  cancel();
}
