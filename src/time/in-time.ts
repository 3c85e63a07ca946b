import type { Clock } from './clock.js';
import { timeLimit } from './time-limit.js';

/**
 * Settles as the promise does, or rejects with the error of `late` when the time is up. The timer keeps the process
 * alive, unless it is marked as background work. `isBlocked`: the event loop was blocked in that time.
 */
export async function inTime<T>(
  coming: PromiseLike<T>,
  ms: number,
  clock: Clock,
  late: (isBlocked: boolean) => Error,
  ...background: readonly ['background'?]
): Promise<T> {
  // A user's thenable may return nothing from `then`.
  const settled = Promise.resolve(coming).then((result) => ({ result }));
  const ended = await settledOr(settled, ms, clock, (isBlocked) => ({ error: late(isBlocked) }), background);
  if ('error' in ended) throw ended.error;
  return ended.result;
}

/** The same with `late` as the result when the time is up. The timer may be marked as background work. */
export function orLate<T>(
  coming: PromiseLike<T>,
  ms: number,
  clock: Clock,
  ...background: readonly ['background'?]
): Promise<T | 'late'> {
  return settledOr(coming, ms, clock, () => 'late' as const, background);
}

async function settledOr<T, Late>(
  coming: PromiseLike<T>,
  ms: number,
  clock: Clock,
  late: (isBlocked: boolean) => Late,
  [background]: readonly ['background'?],
): Promise<T | Late> {
  let cancel: () => void = () => undefined;
  const timeUp = new Promise<Late>((resolve) => {
    const timeIsUp = (isBlocked: boolean) => {
      resolve(late(isBlocked));
    };
    cancel = timeLimit(ms, clock, timeIsUp, { background });
  });
  try {
    return await Promise.race([coming, timeUp]);
  } finally {
    cancel();
  }
}
