import { describe, expect, it } from 'vitest';
import { openBodyCost } from '../../src/snapshot/body-cost.js';
import { manualClock } from '../clock.fixture.js';

const POLL_MS = 15_000;
const HOUR_MS = 3_600_000;
const FEW = { flags: 40, isHeld: false };
const MANY = { flags: 1_000, isHeld: false };

/** A cost by these bodies, one a second, measured again after the middle of the time. */
async function costBy(bodies: readonly { ms: number; flags: number; isHeld: boolean }[], random = 0.5) {
  const clock = manualClock();
  const cost = openBodyCost(POLL_MS, clock, () => random);
  for (const body of bodies) {
    await clock.advance(1_000);
    cost.measured(body);
  }
  return { clock, cost };
}

describe('the cost of a whole body', () => {
  it.each([
    ['is unknown before the first', [], 0],
    ['is that of a first one that makes no poll rarer', [{ ...FEW, ms: 750 }], 750],
    ['is no more than the size explains for one slow body', [{ ...FEW, ms: 751 }], 120],
    ['is that of one slow body, if its size explains it', [{ ...MANY, ms: 2_500 }], 2_500],
    [
      'is the same for one that is slower than that, as in a fleet that starts',
      [{ ...MANY, ms: 30_000 }],
      3_000,
    ],
    [
      'is nothing for one slow body of v2, which makes none while others wait',
      [{ ms: 2_500, flags: 1_000, isHeld: true }],
      0,
    ],
    ['is the smaller of the last two', [2_000, 5_000].map((ms) => ({ ...FEW, ms })), 2_000],
    [
      'is the smaller of the last two, also the other way round',
      [5, 2].map((s) => ({ ...FEW, ms: s * 1_000 })),
      2_000,
    ],
    ['forgets older ones', [46, 25_000, 24_000].map((ms) => ({ ...FEW, ms })), 24_000],
    ['falls with one fast body', [24_000, 25_000, 46].map((ms) => ({ ...FEW, ms })), 46],
  ])('%s', async (_, bodies, ms) => {
    const { cost } = await costBy(bodies);
    expect(cost.read().ms).toBe(ms);
  });

  it('that makes no poll rarer is never measured again, and does not expire', async () => {
    const { clock, cost } = await costBy([{ ...FEW, ms: 46 }]);
    expect(cost.read().measureAt).toBe(Infinity);
    await clock.advance(10 * HOUR_MS);
    expect(cost.read().ms).toBe(46);
    expect(cost.takeMeasurement()).toBe(false);
  });

  it.each([
    [0, 45_000],
    [1 - Number.EPSILON, 105_000],
  ])('that is not proved is measured again within two minutes (chance %d)', async (random, afterMs) => {
    const { clock, cost } = await costBy([{ ...FEW, ms: 5_000 }], random);
    expect(cost.read().measureAt - clock.now()).toBeCloseTo(afterMs, 3);
    await clock.advance(afterMs - 1);
    expect(cost.takeMeasurement()).toBe(false);
    await clock.advance(2);
    expect(cost.takeMeasurement()).toBe(true);
    // The request may fail. The next ones must be cheap.
    expect(cost.takeMeasurement()).toBe(false);
    await clock.advance(afterMs + 1);
    expect(cost.takeMeasurement()).toBe(true);
  });

  it.each([
    ['that became quick', [1_000, 250], 75_000],
    ['that is quick as ever', [10, 2], 1_200_000],
    ['that is a little quicker', [1_000, 251], 1_200_000],
    ['that became slow', [250, 1_000], 1_200_000],
  ])(
    'that has stood for ten minutes is measured again soon only after a 304 %s',
    async (_, times, afterMs) => {
      const { clock, cost } = await costBy([{ ...FEW, ms: 5_000 }]);
      for (const ms of [1_000, 600_000]) {
        await clock.advance(ms);
        cost.measured({ ...FEW, ms: 5_000 });
      }
      for (const ms of times) cost.confirmed(ms);
      expect(cost.read().measureAt - clock.now()).toBe(afterMs);
    },
  );

  it('is measured again later where the size says that this costs the service much', async () => {
    const { clock, cost } = await costBy([{ ms: 25_000, flags: 10_000, isHeld: false }]);
    expect(cost.read().measureAt - clock.now()).toBe(500_000);
  });

  it('is measured less and less often while it is real, and expires an hour after the last body', async () => {
    const { clock, cost } = await costBy([{ ...MANY, ms: 2_500 }]);
    const start = clock.now();
    const measuredAt: number[] = [];
    while (cost.read().ms > 0) {
      if (cost.takeMeasurement()) {
        measuredAt.push(clock.now() - start);
        cost.measured({ ...MANY, ms: 2_600 });
      }
      await clock.advance(1_000);
    }
    expect(measuredAt).toEqual([75_000, 225_000, 675_000, 2_025_000]);
    expect(clock.now() - start).toBe(2_025_000 + HOUR_MS);
    expect(cost.read()).toMatchObject({ ms: 0, likelyMs: 0, measureAt: Infinity });
    // What was proved then proves nothing now.
    cost.measured({ ...FEW, ms: 5_000 });
    expect(cost.read().ms).toBe(120);
  });
});

describe('the cost that the holder of a shared store has written', () => {
  it('counts while another instance polls, for an hour if it stays the same', async () => {
    const { clock, cost } = await costBy([]);
    cost.written(2_500);
    await clock.advance(HOUR_MS - 1);
    cost.written(2_500);
    expect(cost.read().ms).toBe(2_500);
    await clock.advance(1);
    expect(cost.read().ms).toBe(0);
    cost.written(2_600);
    expect(cost.read().ms).toBe(2_600);
  });

  it('does not count for the next holder, nor after a body of this instance', async () => {
    const { cost } = await costBy([]);
    cost.written(2_500);
    cost.holds();
    expect(cost.read().ms).toBe(0);
    cost.written(2_500);
    cost.measured({ ...FEW, ms: 46 });
    expect(cost.read().ms).toBe(46);
  });
});
