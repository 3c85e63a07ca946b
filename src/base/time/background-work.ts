import { AsyncResource } from 'node:async_hooks';

const moduleContext = new AsyncResource('openfeature-flipt-provider', { requireManualDestroy: true });

/**
 * Runs a function in the async context in which this module was loaded. Background work serves all requests, so it must
 * not see the AsyncLocalStorage of the request that happened to start the work.
 */
export function outsideRequests<T>(run: () => T): T {
  return moduleContext.runInAsyncScope(run);
}

/** A function whose concurrent callers share one run. */
export interface Coalesced<T> {
  /** Joins the run that is under way, or begins one. */
  (): Promise<T>;
  /** Returns the run that callers share now, or `undefined` if there is none. */
  readonly underWay: () => Promise<T> | undefined;
}

/**
 * Makes concurrent callers share one run and its result. `ended` is called after each run, when the next run can
 * already begin.
 */
export function coalesced<T>(run: () => Promise<T>, ended?: () => void): Coalesced<T> {
  let underWay: Promise<T> | undefined;
  const over = () => {
    underWay = undefined;
    ended?.();
  };
  const begin = () => {
    const result = run();
    // The run counts as over before its callers get the result, so that a caller can begin the next run at once.
    void result.then(over, over);
    return result;
  };
  return Object.assign(() => (underWay ??= begin()), { underWay: () => underWay });
}

/** A queue of functions, each of which is called when the function before it has ended. */
export interface Line {
  /** Adds a function to the end of the queue. The promise that the function returns must never reject. */
  readonly add: <T>(run: () => Promise<T>) => Promise<T>;
  /** Resolves when all functions that were added have ended. */
  readonly ended: () => Promise<unknown>;
}

/** Makes a queue that calls one function after another. */
export function oneAfterAnother(): Line {
  let last: Promise<unknown> = Promise.resolve();
  return {
    add(run) {
      const result = last.then(run);
      last = result;
      return result;
    },
    ended: () => last,
  };
}
