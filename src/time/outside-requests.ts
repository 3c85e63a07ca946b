import { AsyncResource } from 'node:async_hooks';

const moduleContext = new AsyncResource('openfeature-flipt-provider', { requireManualDestroy: true });

/**
 * Runs in the async context in which this module was loaded. Background work serves all requests, so it must not see
 * the AsyncLocalStorage of the request that happened to come first.
 */
export function outsideRequests<T>(run: () => T): T {
  return moduleContext.runInAsyncScope(run);
}
