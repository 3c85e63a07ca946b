import type { Clock } from './clock.js';

/**
 * Settles as the promise does, or rejects with the error of `late` when the time is up. The timer keeps the process
 * alive, unless it is marked as background work.
 */
export async function inTime<T>(
  coming: PromiseLike<T>,
  ms: number,
  clock: Clock,
  late: () => Error,
  ...background: readonly ['background'?]
): Promise<T> {
  // A user's thenable may return nothing from `then`.
  const settled = Promise.resolve(coming).then((result) => ({ result }));
  const ended = await orLate(settled, ms, clock, ...background);
  if (ended === 'late') throw late();
  return ended.result;
}

/** The same with `late` as the result when the time is up. The timer may be marked as background work. */
export async function orLate<T>(
  coming: PromiseLike<T>,
  ms: number,
  clock: Clock,
  ...background: readonly ['background'?]
): Promise<T | 'late'> {
  let cancel: () => void = () => undefined;
  const timeUp = new Promise<'late'>((resolve) => {
    // After a blocked event loop, the result may already be there. The end of the turn lets it arrive first.
    const atEndOfTurn = () => {
      clock.endOfTurn(() => {
        resolve('late');
      });
    };
    cancel = clock.after(ms, atEndOfTurn, ...background);
  });
  try {
    return await Promise.race([coming, timeUp]);
  } finally {
    cancel();
  }
}
