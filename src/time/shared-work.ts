import { AsyncResource } from 'node:async_hooks';

const moduleContext = new AsyncResource('openfeature-flipt-provider', { requireManualDestroy: true });

/**
 * Runs in the async context in which this module was loaded. Background work serves all requests, so it must not see
 * the AsyncLocalStorage of the request that happened to come first.
 */
export function outsideRequests<T>(run: () => T): T {
  return moduleContext.runInAsyncScope(run);
}

/**
 * Loads on first use, for all callers, and keeps the result. After a failure, the next use loads again: too many open
 * files, for example, are soon closed.
 */
export function loadedOnFirstUse<T>(load: () => Promise<T>) {
  let loading: Promise<T> | undefined;
  const failed = (error: unknown) => {
    loading = undefined;
    throw error;
  };
  return {
    use: () => (loading ??= outsideRequests(() => load().catch(failed))),
    /** What is loaded, or is being loaded; `undefined` if nothing is. */
    current: () => loading,
  };
}

/**
 * Concurrent callers share one run, and its result. With a clock that has no background, each has its own: another's run
 * may end with that caller.
 */
export function sharedRun<T>(
  run: () => Promise<T>,
  clock?: { readonly hasBackground: boolean },
): () => Promise<T> {
  if (clock?.hasBackground === false) return run;
  let underWay: Promise<T> | undefined;
  return () =>
    (underWay ??= run().finally(() => {
      underWay = undefined;
    }));
}
