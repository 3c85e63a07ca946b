import type { Clock } from './clock.js';

/**
 * Concurrent callers share one run, and its result. With a clock that has no background, each has its own: another's run
 * may end with that caller.
 */
export function sharedRun<T>(run: () => Promise<T>, clock?: Pick<Clock, 'hasBackground'>): () => Promise<T> {
  if (clock?.hasBackground === false) return run;
  let underWay: Promise<T> | undefined;
  return () =>
    (underWay ??= run().finally(() => {
      underWay = undefined;
    }));
}
