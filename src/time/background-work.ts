import { AsyncResource } from 'node:async_hooks';

const moduleContext = new AsyncResource('openfeature-flipt-provider', { requireManualDestroy: true });

/**
 * Runs in the async context in which this module was loaded. Background work serves all requests, so it must not see
 * the AsyncLocalStorage of the request that happened to come first.
 */
export function outsideRequests<T>(run: () => T): T {
  return moduleContext.runInAsyncScope(run);
}

/*
 * What is different without a background, where a call may be frozen or ended with all that it has begun: callers share
 * no unfinished work, wait for all that they begin, and do themselves what timers would do.
 */
interface Background {
  readonly hasBackground: boolean;
}

/**
 * Concurrent callers share one run, and its result. Without a background, each has its own, which `signal` ends. `ended`
 * is called after each run, when another can begin.
 */
export function coalesced<T>(
  run: (signal?: AbortSignal) => Promise<T>,
  { hasBackground: outlivesCallers }: Background = { hasBackground: true },
  ended?: () => void,
) {
  let underWay: Promise<T> | undefined;
  const over = () => {
    underWay = undefined;
    ended?.();
  };
  const begin = (signal?: AbortSignal) => {
    const result = run(signal);
    // Before the callers learn of it.
    void result.then(over, over);
    return result;
  };
  const join = (signal?: AbortSignal) => (outlivesCallers ? (underWay ??= begin()) : begin(signal));
  /** `outlivesCallers`: a run goes on without them. `underWay`: the run that callers share now. */
  return Object.assign(join, { outlivesCallers, underWay: () => underWay });
}

/** Runs one after another; without a background at once, because the one before may never end. `run` never rejects. */
export function oneAfterAnother({ hasBackground }: Background) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    add<T>(run: () => Promise<T>): Promise<T> {
      if (!hasBackground) return run();
      const result = last.then(run);
      last = result;
      return result;
    },
    ended: () => last,
  };
}

/** Leaves work to the background; without one, waits for its end. */
export async function leftToBackground(work: Promise<unknown>, clock: Background): Promise<void> {
  if (!clock.hasBackground) await work;
}

/** Whether a caller must do what is due at this time, because no timer does it. */
export function isCallersTurn(dueAt: number, clock: Background & { now(): number }): boolean {
  return !clock.hasBackground && clock.now() >= dueAt;
}
