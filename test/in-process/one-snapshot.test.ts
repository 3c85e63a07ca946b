import { expect, it } from 'vitest';
import { type Clock } from '../../src/base/time/clock.js';
import { evaluatingMany } from '../../src/provider/evaluate/many.js';
import { evaluatingHere } from '../../src/provider/evaluate/here.js';
import { openRequestView } from '../../src/provider/per-request/view.js';
import type { Snapshot } from '../../src/snapshot/snapshot.js';
import { runtimeOf } from '../runtime.fixture.js';
import { manualClock } from '../clock.fixture.js';
import { bodyJson } from '../snapshot/fetched.fixture.js';
import { parsedJson } from '../snapshot/bodies.fixture.js';

const KEYS = Array.from({ length: 2_500 }, (_, at) => `flag-${at}`);

async function snapshotWith(enabled: boolean): Promise<Snapshot> {
  const flags = Object.fromEntries(KEYS.map((key) => [key, enabled]));
  return { ...(await parsedJson(bodyJson(flags))), version: `all ${enabled}` };
}

/** In-process evaluation from a snapshot that the test replaces. */
async function replaceable(clock: Clock) {
  const [on, off] = [await snapshotWith(true), await snapshotWith(false)];
  const inForce = { snapshot: on, confirmedAt: 0 };
  const missing: string[] = [];
  const here = evaluatingHere(
    {
      snapshot: () => inForce.snapshot,
      poller: {
        confirmedAt: () => inForce.confirmedAt,
        used: () => undefined,
        ageMs: (now) => now - inForce.confirmedAt,
        sureForMs: () => 1,
      },
      missing: (flag) => missing.push(flag),
    },
    () => expect.unreachable(),
    () => true,
    { attributes: undefined, targetingKey: 'optional' },
    () => undefined,
    runtimeOf(clock),
  );
  return { here, on, off, inForce, missing };
}

it.each([['a list', KEYS] as const, ['a function', () => true] as const])(
  'evaluateEach answers %s of more than 1,000 flags from one snapshot',
  async (_, named) => {
    let swap = () => {};
    let looks = 0;
    const clock = manualClock();
    const turning: Clock = {
      ...clock,
      // Each flag takes a millisecond.
      now: () => ++looks,
      endOfTurn(run) {
        swap();
        setImmediate(run);
      },
    };
    const { here, on, off, inForce } = await replaceable(turning);
    let swaps = 0;
    swap = () => {
      inForce.snapshot = ++swaps % 2 === 0 ? on : off;
    };
    const many = evaluatingMany(
      {
        evaluate: () => expect.unreachable(),
        here,
        isInProcess: true,
        isServiceBetter: () => false,
        untilSnapshot: () => Promise.resolve(),
      },
      runtimeOf(turning),
    );
    const outcomes = await many.evaluateEach({}, named);

    expect(swaps).toBeGreaterThan(2);
    expect([...outcomes.keys()]).toEqual(KEYS);
    expect(new Set([...outcomes.values()].map((outcome) => 'value' in outcome && outcome.value))).toEqual(
      new Set([true]),
    );
  },
);

it('a view reports the age of its own snapshot', async () => {
  const clock = manualClock();
  const { here, off, inForce } = await replaceable(clock);
  const view = openRequestView();
  const ask = () => here({}, view)?.resolve('flag-1');
  await clock.advance(1_000);
  expect(ask()).toMatchObject({ version: 'all true', ageMs: 1_000 });
  // Confirmed, and still in force.
  inForce.confirmedAt = clock.now();
  expect(ask()).toMatchObject({ version: 'all true', ageMs: 0 });
  await clock.advance(3_000);
  inForce.snapshot = off;
  inForce.confirmedAt = clock.now();
  expect(ask()).toMatchObject({ version: 'all true', ageMs: 4_000 });
  expect(here({}, undefined)?.resolve('flag-1')).toMatchObject({ version: 'all false', ageMs: 0 });
});

it('tells of a flag that is not in the snapshot', async () => {
  const { here, missing } = await replaceable(manualClock());
  const flags = here({}, undefined);
  for (const flag of ['flag-x', 'flag-1']) await flags?.resolve(flag);
  expect(missing).toEqual(['flag-x']);
});
