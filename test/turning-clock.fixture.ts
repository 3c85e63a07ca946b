import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../src/base/time/clock.js';
import { manualClock } from './clock.fixture.js';

interface TurningClock {
  readonly now: () => number;
  /** Returns the milliseconds since the epoch. */
  readonly date: () => number;
  /** Returns how many timers wait to fire. */
  readonly timers: () => number;
  /** Lets time pass as if the app had blocked the event loop. */
  readonly block: (ms: number) => void;
  /** Resolves when this many milliseconds have passed. */
  readonly passes: (ms: number) => Promise<void>;
}

/**
 * Time for tests over real sockets: it passes with the turns of the event loop. A machine that stalls stops the clock,
 * too, so a time-out comes only if nothing else does, and nobody waits for its full time. It is the clock of all
 * providers and clients of a file while its tests run.
 *
 * @param turnMs how many milliseconds pass with each turn. A turn takes one or more, and an answer takes some turns: a
 * time-out that must not come has to be twenty times as long.
 */
export function useTurningClock(turnMs = 5): TurningClock {
  const clock = manualClock(Date.now());
  let isEnded = false;
  const turn = async () => {
    while (!isEnded) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await clock.advance(turnMs);
    }
  };

  const real = { ...systemClock };
  let turning: Promise<void> | undefined;
  beforeAll(() => {
    Object.assign(systemClock, clock, {
      endOfTurn: (run: () => void) => {
        real.endOfTurn(run);
      },
    });
    turning = turn();
  });
  afterAll(async () => {
    isEnded = true;
    await turning;
    Object.assign(systemClock, real);
  });
  return {
    now: () => clock.now(),
    date: () => clock.date(),
    timers: () => clock.timers(),
    block: (ms) => {
      clock.block(ms);
    },
    passes: (ms) =>
      new Promise((resolve) => {
        clock.after(ms, resolve);
      }),
  };
}
