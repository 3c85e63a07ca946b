import type { Clock, TimerKind } from './clock.js';
import { timeLimit } from './time-limit.js';

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
  // A user's thenable may return nothing from `then`.
  const settled = Promise.resolve(coming).then((result) => ({ result }));
  const ended = await settledOr(settled, ms, clock, (isBlocked) => ({ error: late(isBlocked) }), kind);
  if ('error' in ended) throw ended.error;
  return ended.result;
}

/** The same with `late` as the result when the time is up. */
export function orLate<T>(
  coming: PromiseLike<T>,
  ms: number,
  clock: Clock,
  kind?: TimerKind,
): Promise<T | 'late'> {
  return settledOr(coming, ms, clock, () => 'late' as const, kind);
}

async function settledOr<T, Late>(
  coming: PromiseLike<T>,
  ms: number,
  clock: Clock,
  late: (isBlocked: boolean) => Late,
  kind?: TimerKind,
): Promise<T | Late> {
  let cancel: () => void = () => undefined;
  const timeUp = new Promise<Late>((resolve) => {
    const timeIsUp = (isBlocked: boolean) => {
      resolve(late(isBlocked));
    };
    cancel = timeLimit(ms, clock, timeIsUp, { kind });
  });
  try {
    return await Promise.race([coming, timeUp]);
  } finally {
    cancel();
  }
}
