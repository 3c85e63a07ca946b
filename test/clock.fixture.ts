import type { Clock } from '../src/base/time/clock.js';

/** A clock that stands still until the test advances it. */
export interface ManualClock extends Clock {
  /**
   * Advances the clock, and fires due timers in the order of their times. Before the first timer, between two timers
   * and after the last one, all promises settle and all turns of the event loop end.
   */
  advance(ms: number): Promise<void>;
  /** Lets time pass without firing timers, as when the event loop is blocked. */
  block(ms: number): void;
  /** Lets promises settle and turns of the event loop end, until nothing more happens at this time. */
  settle(): Promise<void>;
  /** Returns how many timers wait to fire: all of them, or only those of the given kind. */
  timers(kind?: 'awaited' | 'background'): number;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
  readonly kind: 'awaited' | 'background';
}

/** This is enough for any chain of promises in this code base. Each step settles one link. */
const LINKS = 100;

/** @param startDate The clock starts at this time, in milliseconds since the epoch. */
export function manualClock(startDate = Date.UTC(2024, 0, 1)): ManualClock {
  const timers = new Set<Timer>();
  let turn: (() => void)[] = [];
  let now = 0;

  const microtasks = async () => {
    for (let link = 0; link < LINKS; link++) await Promise.resolve();
  };
  const settle = async () => {
    await microtasks();
    while (turn.length > 0) {
      const ending = turn;
      turn = [];
      for (const run of ending) run();
      await microtasks();
    }
  };
  /**
   * Of several timers for the same time, this finds the one that was set first, because a Set keeps the order of
   * insertion.
   */
  const nextBy = (until: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  };

  return {
    now: () => now,
    date: () => startDate + now,
    after(ms, run, kind = 'awaited') {
      const timer: Timer = { at: now + Math.max(0, ms), run, kind: kind === 'awaited' ? kind : 'background' };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    endOfTurn(run) {
      turn.push(run);
    },
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let timer = nextBy(until); timer !== undefined; timer = nextBy(until)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.run();
        await settle();
      }
      now = until;
    },
    block(ms) {
      now += ms;
    },
    settle,
    timers(kind) {
      return [...timers].filter((timer) => kind === undefined || timer.kind === kind).length;
    },
  };
}
