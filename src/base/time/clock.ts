import { performance } from 'node:perf_hooks';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { outsideRequests } from './background-work.js';

/** Node's timers treat a longer time as 1 ms. */
export const LARGEST_TIMER_MS = 2_147_483_647;

/**
 * What a timer is for. `awaited`: a caller waits for it, so it keeps the process alive. `background`: nobody waits.
 * `limit`: it ends what background work waits for. Where nothing may run between calls, a caller does that work and
 * waits for the end.
 */
export type TimerKind = 'awaited' | 'background' | 'limit';

/** Everything that the library knows about time. Tests pass a clock that they move themselves. */
export interface Clock {
  /**
   * Milliseconds since some fixed point, including the time that the machine was asleep. Never runs backwards, whatever
   * happens to the machine's date.
   */
  now(): number;
  /** Milliseconds since the epoch: only for dates that come from outside or are shown. */
  date(): number;
  /**
   * Calls `run` once after `ms`. Default of `kind`: `awaited`; only such a timer keeps the process alive. Returns a
   * function that cancels it.
   */
  after(ms: number, run: () => void, kind?: TimerKind): () => void;
  /** Calls `run` at the end of this turn of the event loop, after everything that arrived together was seen. */
  endOfTurn(run: () => void, background?: 'background'): void;
}

/** The clock where nothing may run between calls: timers of background work are never called, all others as before. */
export function withoutBackground(clock: Clock): Clock {
  return {
    ...clock,
    after: (ms, run, kind) => (kind === 'background' ? () => undefined : clock.after(ms, run)),
  };
}

/*
 * Kept from the start, because a test's fake timers replace the globals. They are for the code under test: with them,
 * no batch would be sent and no deadline would end.
 */
const [startTimer, stopTimer, atEndOfTurn] = [setTimeout, clearTimeout, setImmediate];
const date = Date.now;

/** The hot path reads the clock for each cached answer. Comparing with the date each time would double that cost. */
const COMPARED_EVERY_MS = 100;
/** A smaller difference is not sleep but a correction of the date. */
const SHORTEST_SLEEP_MS = 1_000;

/**
 * A clock that also counts the time that the machine was asleep, which only the date shows: otherwise an answer from
 * before would count as fresh. Setting the date forward makes answers too old at worst. Setting it back changes
 * nothing.
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
    if (kind !== 'awaited') timer.unref();
    return () => {
      stopTimer(timer);
    };
  },
  endOfTurn(run, background) {
    const immediate = outsideRequests(() => atEndOfTurn(run));
    if (background) immediate.unref();
  },
};

/** Between half of `ms` and all of it, so that many instances do not ask at the same moment. `random` is in [0, 1). */
export function halfToAll(ms: number, random: number, leastMs = 0): number {
  return Math.max(ms / 2, leastMs) + (ms / 2) * random;
}

/** A timer that is set for one time at most. */
export interface OneTimer {
  /** Sets it, instead of what it was set for. Default of `kind`: `background`. */
  readonly set: (ms: number, run: () => void, kind?: TimerKind) => void;
  /** Sets it unless it is set. */
  readonly ensure: (ms: number, run: () => void) => void;
  readonly stop: () => void;
  /** By the clock's `now`, also of a timer that never ends, because there is no background; `undefined` if it is not set. */
  readonly dueAt: () => number | undefined;
}

/** A time longer than a timer can take is cut: then `run` comes too early. */
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
