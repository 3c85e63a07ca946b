import { setMaxListeners } from 'node:events';
import type { Clock, TimerKind } from './clock.js';

type Waiting = Pick<Clock, 'after' | 'endOfTurn' | 'now'>;

/** How long a close waits for work that hangs. The process might be about to end. */
export const CLOSE_MS = 2_000;

/** Each request and each wait for credentials listens to the signal, so the limit on listeners is lifted. */
export function closingController(): AbortController {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  return closing;
}

export async function inTime<T>(
  coming: PromiseLike<T>,
  ms: number,
  clock: Waiting,
  late: () => Error,
  kind?: TimerKind,
): Promise<T> {
  let cancel: () => void = () => undefined;
  const timeUp = new Promise<never>((_, reject) => {
    const dueAt = clock.now() + ms;
    const end = () => {
      reject(late());
    };
    cancel = timeLimit(() => dueAt, clock, end, kind);
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
  clock: Waiting,
  kind?: TimerKind,
): Promise<T | 'late'> {
  return inTime(coming, ms, clock, () => LATE, kind).catch((error: unknown) => {
    if (error === LATE) return 'late' as const;
    throw error;
  });
}

/**
 * `dueAt` is asked again when its time has come, because it may have moved. `late` is not called if the limit is
 * cancelled in that turn: after the event loop was blocked, an answer lies unread in its socket.
 */
export function timeLimit(
  dueAt: () => number,
  clock: Waiting,
  late: () => void,
  kind?: TimerKind,
): () => void {
  let hasEnded = false;
  let cancelTimer: () => void = () => undefined;
  const wait = () => {
    // Node drops fractions of a millisecond, so that the timer would fire too early.
    const ms = Math.ceil(Math.max(0, dueAt() - clock.now()));
    const ended = () => {
      clock.endOfTurn(check, kind === 'background' ? kind : undefined);
    };
    cancelTimer = clock.after(ms, ended, kind);
  };
  const check = () => {
    if (hasEnded) return;
    if (clock.now() < dueAt()) wait();
    else late();
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
