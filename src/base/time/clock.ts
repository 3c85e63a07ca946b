import { performance } from 'node:perf_hooks';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { outsideRequests } from './background-work.js';

/** Node's timers treat a longer time as 1 ms. */
export const LARGEST_TIMER_MS = 2_147_483_647;

/** Only an `awaited` timer, for which a caller waits, keeps the process alive. */
export type TimerKind = 'awaited' | 'background';

/** Tests pass a clock whose time they set. */
export interface Clock {
  /** Milliseconds since some point, with the time that the machine was asleep. Never runs backwards. */
  now(): number;
  /** Milliseconds since the epoch: only to show dates, and to compare with those from outside. */
  date(): number;
  /** Default `awaited`. The result cancels the timer. A time beyond `LARGEST_TIMER_MS` is cut. */
  after(ms: number, run: () => void, kind?: TimerKind): () => void;
  /** After everything that arrived in the same turn has been handled. */
  endOfTurn(run: () => void, background?: 'background'): void;
}

/*
 * Read when the module loads: with the fake timers of a user's test, no batch would be sent and no deadline would
 * end.
 */
const [startTimer, stopTimer, atEndOfTurn] = [setTimeout, clearTimeout, setImmediate];
const date = Date.now;

/** The clock is read for each cached answer; comparing it each time would double the cost. */
const COMPARED_EVERY_MS = 100;
/** A smaller difference is a correction of the date, no sleep. */
const SHORTEST_SLEEP_MS = 1_000;

/**
 * Without the sleep, an answer from before it could count as fresh. It shows in the machine's date, so setting the
 * date forward moves the clock, too; setting it back does not.
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

export const systemClock: Clock = {
  now,
  date,
  after(ms, run, kind = 'awaited') {
    const timer = outsideRequests(() => startTimer(run, Math.min(ms, LARGEST_TIMER_MS)));
    if (kind === 'background') timer.unref();
    return () => {
      stopTimer(timer);
    };
  },
  endOfTurn(run, background) {
    const immediate = outsideRequests(() => atEndOfTurn(run));
    if (background) immediate.unref();
  },
};

/** So that many instances do not send at the same moment. `random` is in [0, 1). */
export function halfToAll(ms: number, random: number): number {
  return (ms / 2) * (1 + random);
}

/** In the background. */
export function oneTimer(clock: Pick<Clock, 'after'>) {
  let cancel: (() => void) | undefined;
  const stop = () => {
    cancel?.();
    cancel = undefined;
  };
  /** Replaces the time that was set before. */
  const set = (ms: number, run: () => void) => {
    stop();
    const ended = () => {
      cancel = undefined;
      run();
    };
    cancel = clock.after(ms, ended, 'background');
  };
  return {
    set,
    ensure(ms: number, run: () => void) {
      if (cancel === undefined) set(ms, run);
    },
    stop,
  };
}
