import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';

/** Node's timers take what is longer for 1 ms. */
export const LARGEST_TIMER_MS = 2_147_483_647;

/** All that the library knows of time. Tests hand in one that they turn themselves. */
export interface Clock {
  /**
   * Milliseconds since some fixed point, those included that the machine has slept. Never runs backwards, whatever
   * happens to the machine's date.
   */
  now(): number;
  /** Milliseconds since the epoch: only for dates that come from outside. */
  date(): number;
  /**
   * Calls `run` once after `ms`. Somebody waits for it, so it keeps the process alive,
   * unless it is marked as background work. Returns a function that cancels it.
   */
  after(ms: number, run: () => void, background?: 'background'): () => void;
  /** Calls `run` at the end of this turn of the event loop, when all that arrived together has been seen. */
  endOfTurn(run: () => void): void;
}

/*
 * Not the globals, which the fake timers of a test replace: those are for what it tests. Under them a batch would
 * never go out, nor a deadline end.
 */
const [startTimer, stopTimer, atEndOfTurn] = [setTimeout, clearTimeout, setImmediate];
const date = Date.now;

/** The hot path reads the clock for each cached answer, and a comparison with the date would cost as much again. */
const COMPARED_EVERY_MS = 100;
/** A smaller difference is a correction of the date. */
const SHORTEST_SLEEP_MS = 1_000;

/**
 * A clock that goes on while the machine sleeps, when only the date does: an answer from before must not count as fresh.
 * A date that is set forward makes answers too old at worst; one that is set back changes nothing.
 */
export function countingSleep(awakeMs: () => number, dateMs: () => number): () => number {
  let comparedAt = awakeMs();
  let dateThen = dateMs();
  let sleptMs = 0;
  return () => {
    const awake = awakeMs();
    if (awake - comparedAt >= COMPARED_EVERY_MS) {
      const dateNow = dateMs();
      const missed = dateNow - dateThen - (awake - comparedAt);
      if (missed >= SHORTEST_SLEEP_MS) sleptMs += missed;
      comparedAt = awake;
      dateThen = dateNow;
    }
    return awake + sleptMs;
  };
}

const now = countingSleep(performance.now.bind(performance), date);

const moduleContext = new AsyncResource('openfeature-flipt-provider', { requireManualDestroy: true });

/**
 * Runs in the async context in which this module was loaded. Work in the background serves all requests: it must not see
 * the AsyncLocalStorage of the one that happened to come first.
 */
export function outsideRequests<T>(run: () => T): T {
  return moduleContext.runInAsyncScope(run);
}

export const systemClock: Clock = {
  now,
  date,
  after(ms, run, background) {
    const timer = outsideRequests(() => startTimer(run, ms));
    if (background) timer.unref();
    return () => {
      stopTimer(timer);
    };
  },
  endOfTurn(run) {
    outsideRequests(() => atEndOfTurn(run));
  },
};

/** Resolves in the next turn of the event loop. */
export function nextTurn(clock: Pick<Clock, 'endOfTurn'>): Promise<void> {
  return new Promise((resolve) => {
    clock.endOfTurn(resolve);
  });
}

/** Counts work, in whatever unit, and waits for the next turn of the event loop after each `most` of it. */
export function pausing(
  most: number,
  clock: Pick<Clock, 'endOfTurn'>,
): (work?: number) => Promise<void> | undefined {
  let done = 0;
  return (work = 1) => {
    done += work;
    if (done < most) return undefined;
    done = 0;
    return nextTurn(clock);
  };
}

/**
 * Settles as the promise does; rejects with the error that `late` makes once the time is up. The timer keeps the process
 * alive.
 */
export async function inTime<T>(
  coming: PromiseLike<T>,
  ms: number,
  clock: Clock,
  late: () => Error,
): Promise<T> {
  let cancel: () => void = () => undefined;
  const timeUp = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => {
      reject(late());
    });
  });
  try {
    return await Promise.race([coming, timeUp]);
  } finally {
    cancel();
  }
}
