import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Clock } from '../../../src/base/time/clock.js';
import { manualClock, type ManualClock } from '../../clock.fixture.js';
import { chance, countingService, instance, POLL_MS } from './fleet.fixture.js';
import { memoryStore, type Way } from './memory-store.fixture.js';

const INTERVALS = 30;

/** One instance's clock, and how its calls reach the store. */
const member = fc.record({
  /** How much faster its clock runs than the store's, and how much later it starts. */
  rate: fc.double({ min: 0.975, max: 1.025, noNaN: true }),
  startsAfterMs: fc.integer({ min: 0, max: 2 * POLL_MS }),
  /** For each call: milliseconds until the store does it, and until the result is there; or the call fails. */
  calls: fc.array(
    fc.record({
      thereMs: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 0, max: 50 }) },
        fc.integer({ min: 0, max: 4 * POLL_MS }),
      ),
      backMs: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 0, max: 50 }) },
        fc.integer({ min: 0, max: 4 * POLL_MS }),
      ),
      fails: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.boolean()),
    }),
    { minLength: 1, maxLength: 30 },
  ),
  seed: fc.nat(),
});
type Member = typeof member extends fc.Arbitrary<infer T> ? T : never;

function drifting(clock: ManualClock, rate: number): Clock {
  return {
    ...clock,
    now: () => clock.now() * rate,
    after: (ms, run, background) => clock.after(ms / rate, run, background),
  };
}

/** Each call takes the times of the plan. After the plan, all calls work. */
function wayOf({ calls }: Member, clock: ManualClock): Way {
  const plan = [...calls];
  const pause = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  return async (step) => {
    const { thereMs, backMs, fails } = plan.shift() ?? { thereMs: 1, backMs: 1, fails: false };
    await pause(thereMs);
    if (fails) throw new Error('refused');
    const result = step();
    await pause(backMs);
    return result;
  };
}

it('no instance and no store goes back to an older snapshot, and in the end one instance polls for all', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(member, { minLength: 2, maxLength: 5 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: POLL_MS }), fc.integer({ min: 0, max: 2 * POLL_MS })), {
        maxLength: 10,
      }),
      async (members, changes) => {
        const clock = manualClock();
        const service = countingService(clock);
        const store = memoryStore(clock);
        const starting = members.map(async (one) => {
          await new Promise<void>((resolve) => clock.after(one.startsAfterMs, resolve));
          const own = drifting(clock, one.rate);
          return instance(service.send, store.reached(wayOf(one, clock)), own, chance(one.seed));
        });
        const written: number[] = [];
        const look = () => {
          const state = Number(/state-(\d+)/.exec(store.held.text ?? '')?.[1] ?? 0);
          if (state !== written.at(-1)) written.push(state);
        };
        for (const [afterMs, delayMs] of changes) {
          await clock.advance(afterMs);
          service.delayMs = delayMs;
          service.state++;
          look();
        }
        service.delayMs = 0;
        for (let at = 0; at < INTERVALS * 10; at++) {
          await clock.advance(POLL_MS / 5);
          look();
        }
        const instances = await Promise.all(starting);
        expect(written).toEqual([...written].sort((one, other) => one - other));
        for (const { states } of instances) {
          expect(states).toEqual([...states].sort((one, other) => one - other));
          expect(states.at(-1)).toBe(service.state);
        }
        const before = service.polls;
        await clock.advance(10 * POLL_MS);
        expect(service.polls - before).toBeLessThanOrEqual(15);
        const closing = Promise.all(instances.map(({ snapshots }) => snapshots.close()));
        await clock.advance(5_000);
        await closing;
        expect(store.held.lease).toBeUndefined();
      },
    ),
    { numRuns: 40 },
  );
});
