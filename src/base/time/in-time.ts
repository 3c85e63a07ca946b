import { setMaxListeners } from 'node:events';
import type { Clock, TimerKind } from './clock.js';

/** How long a close waits for work that hangs. The process might be about to end. */
export const CLOSE_MS = 2_000;

/** Each request and each wait for credentials listens to the signal, so the limit on listeners is lifted. */
export function closingController(): AbortController {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  return closing;
}

/** The argument of `late` says whether a timer has noticed that the event loop was blocked. */
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

const BLOCKED_MS = 100;
const SLICE_MS = 100;

interface HowToLimit {
  /** Default `awaited`. */
  readonly kind?: TimerKind | undefined;
  /** Several short timers notice a block at the beginning of the time, after which one long timer fires punctually. */
  readonly inSlices?: boolean;
}

/**
 * `dueAt` is asked again and again, so that the moment can change. `late` is not called if the limit is cancelled in
 * the turn in which the time is up: after a block, a result may have arrived, unread. `isBlocked`: the other side
 * might have answered in time.
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
    // Node drops fractions of a millisecond, so that the timer would fire too early.
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

export async function passed(ms: number, signal: AbortSignal | undefined, clock: Clock): Promise<void> {
  let cancel: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await untilAborted(waiting, signal, undefined);
  cancel();
}
