import { describe, expect, it } from 'vitest';
import { countingSleep, LARGEST_TIMER_MS, systemClock } from '../../../src/base/time/clock.js';

function machine() {
  let [awake, date] = [1_000, Date.UTC(2024, 0, 1)];
  const now = countingSleep(
    () => awake,
    () => date,
  );
  const start = now();
  return {
    elapsed: () => now() - start,
    run: (ms: number) => {
      awake += ms;
      date += ms;
    },
    /** The machine sleeps, or somebody sets its date. */
    moveDate: (ms: number) => {
      date += ms;
    },
  };
}

describe('the clock', () => {
  it('counts the time that the machine sleeps, within 100 ms', () => {
    const { elapsed, run, moveDate } = machine();
    run(5_000);
    expect(elapsed()).toBe(5_000);
    moveDate(3_600_000);
    run(100);
    expect(elapsed()).toBe(3_605_100);
    run(5_000);
    expect(elapsed()).toBe(3_610_100);
  });

  it('counts each of several sleeps once', () => {
    const { elapsed, run, moveDate } = machine();
    for (let night = 0; night < 3; night++) {
      moveDate(10_000);
      run(200);
      elapsed();
    }
    expect(elapsed()).toBe(30_600);
  });

  it.each([-3_600_000, -1, 999])('is not changed by a date that is set by %s ms', (ms) => {
    const { elapsed, run, moveDate } = machine();
    run(5_000);
    moveDate(ms);
    run(5_000);
    expect(elapsed()).toBe(10_000);
  });
});

it.each([LARGEST_TIMER_MS + 1, Infinity])('%s ms, too long for Node, do not pass at once', async (ms) => {
  let hasPassed = false;
  const stop = systemClock.after(ms, () => {
    hasPassed = true;
  });
  // Timers of equal length run in their order: the one above would come first.
  await new Promise<void>((resolve) => {
    systemClock.after(1, resolve);
  });
  stop();
  expect(hasPassed).toBe(false);
});
