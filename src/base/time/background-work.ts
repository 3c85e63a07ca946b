import { AsyncResource } from 'node:async_hooks';

const moduleContext = new AsyncResource('openfeature-flipt-provider', { requireManualDestroy: true });

/**
 * In the async context in which this module was loaded: background work must not see the AsyncLocalStorage of the
 * request that happened to start it.
 */
export function outsideRequests<T>(run: () => T): T {
  return moduleContext.runInAsyncScope(run);
}

/** `ended` is called when the next run can already begin. */
export function coalesced<T>(run: () => Promise<T>, ended?: () => void) {
  let underWay: Promise<T> | undefined;
  const over = () => {
    underWay = undefined;
    ended?.();
  };
  const begin = () => {
    const result = run();
    // First, so that a caller can begin the next run at once.
    void result.then(over, over);
    return result;
  };
  return Object.assign(() => (underWay ??= begin()), { underWay: () => underWay });
}
