import { performance } from 'node:perf_hooks';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { outsideRequests } from './background-work.js';

/** The longest time that a timer can take. Node's timers treat a longer time as 1 ms. */
export const LARGEST_TIMER_MS = 2_147_483_647;

/**
 * What a timer is for.
 *
 * - `awaited`: a caller waits for the timer, so the timer keeps the process alive.
 * - `background`: the timer must not keep the process alive.
 */
export type TimerKind = 'awaited' | 'background';

/** The source of times and timers in almost all of this package. Tests pass a clock whose time they set themselves. */
export interface Clock {
  /**
   * Returns the milliseconds since some fixed point, including the time that the machine was asleep. The clock never
   * runs backwards, whatever happens to the machine's date.
   */
  now(): number;
  /**
   * Returns the milliseconds since the epoch. Use `date` only to compare with dates that come from outside, and to show
   * dates.
   */
  date(): number;
  /**
   * Calls `run` once after `ms` milliseconds. Usually, only a timer of the kind `awaited`, which is the default, keeps
   * the process alive. Returns a function that cancels the timer.
   */
  after(ms: number, run: () => void, kind?: TimerKind): () => void;
  /**
   * Calls `run` at the end of this turn of the event loop, when everything that arrived in the same turn has been
   * handled.
   */
  endOfTurn(run: () => void, background?: 'background'): void;
}

/*
 * Node's timer functions are read once, when this module loads, because the fake timers of a test replace the globals.
 * Fake timers are meant for the app's code; if this clock used them, no batch would be sent and no deadline would end.
 */
const [startTimer, stopTimer, atEndOfTurn] = [setTimeout, clearTimeout, setImmediate];
const date = Date.now;

/**
 * The clock compares itself with the machine's date at most once in this many milliseconds. The provider reads the
 * clock for each cached answer, and comparing each time would double the cost of reading the clock.
 */
const COMPARED_EVERY_MS = 100;
/**
 * If the date differs from the clock by fewer milliseconds than this, the clock assumes that somebody has corrected the
 * date, and not that the machine was asleep.
 */
const SHORTEST_SLEEP_MS = 1_000;

/**
 * Makes a clock that also counts the time that the machine was asleep. To find out how long the machine was asleep, the
 * clock compares itself with the machine's date. If the clock did not count sleep, an answer from before the sleep
 * could count as fresh. If somebody sets the machine's date forward, the clock goes forward, too, so that answers count
 * as too old, for example. Setting the machine's date back does not set the clock back.
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
    const timer = outsideRequests(() => startTimer(run, ms));
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

/**
 * Returns a random time between half of `ms` and all of `ms`, so that many instances do not send their requests at the
 * same moment. If `leastMs` is more than half of `ms`, the result is between `leastMs` and `leastMs` plus half of `ms`.
 * `random` is in [0, 1).
 */
export function halfToAll(ms: number, random: number, leastMs = 0): number {
  return Math.max(ms / 2, leastMs) + (ms / 2) * random;
}

/** A timer that can be set for only one moment at a time. */
export interface OneTimer {
  /** Sets the timer, and cancels the time for which it was set before. The default of `kind` is `background`. */
  readonly set: (ms: number, run: () => void, kind?: TimerKind) => void;
  /** Sets the timer unless it is already set. */
  readonly ensure: (ms: number, run: () => void) => void;
  readonly stop: () => void;
  /**
   * Returns the time at which the timer is due, in milliseconds of `now()`, or `undefined` if the timer is not set.
   */
  readonly dueAt: () => number | undefined;
}

/** Makes a timer. A time that is longer than Node's timers can take is shortened, so that `run` is called too early. */
export function oneTimer(clock: Pick<Clock, 'after' | 'now'>): OneTimer {
  let timer: { readonly dueAt: number; readonly cancel: () => void } | undefined;
  const stop = () => {
    timer?.cancel();
    timer = undefined;
  };
  const set: OneTimer['set'] = (ms, run, kind = 'background') => {
    stop();
    const ended = () => {
      timer = undefined;
      run();
    };
    const cancel = clock.after(Math.min(ms, LARGEST_TIMER_MS), ended, kind);
    timer = { dueAt: clock.now() + ms, cancel };
  };
  return {
    set,
    ensure: (ms, run) => {
      if (timer === undefined) set(ms, run);
    },
    stop,
    dueAt: () => timer?.dueAt,
  };
}
