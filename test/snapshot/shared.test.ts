import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/http/reply.js';
import { manualClock, type ManualClock } from '../clock.fixture.js';
import { INFO_PATH } from '../servers/scripted.fixture.js';
import { chance } from './chance.fixture.js';
import { bodyJson, refusedConnection, reply } from './fetched.fixture.js';
import { memoryStore, type Way } from './memory-store.fixture.js';
import { POLL_MS, sourceOf, type Answer } from './source.fixture.js';

/** A Flipt whose flag `state-5` exists while its state is 5. */
function countingFlipt() {
  const flipt = { state: 1, trouble: undefined as Outcome | undefined, polls: 0, bodies: 0 };
  const answer: Answer = ({ path, headers }) => {
    if (path === INFO_PATH) return reply(404);
    flipt.polls++;
    const etag = `state-${flipt.state}`;
    if (flipt.trouble) return flipt.trouble;
    if (headers?.['if-none-match'] === etag) return reply(304);
    flipt.bodies++;
    return reply(200, bodyJson({ [etag]: true }), { etag });
  };
  return Object.assign(flipt, { answer });
}

type Instance = Awaited<ReturnType<typeof instance>>;
const stateOf = ({ keys }: Pick<Instance, 'keys'>) => Number(keys()[0]?.slice('state-'.length) ?? 0);

async function instance(
  answer: Answer,
  store: ReturnType<typeof memoryStore>,
  clock: ManualClock,
  random: () => number,
  way?: Way,
) {
  const made = sourceOf(answer, { snapshot: { store: store.reached(way) } }, clock, random);
  void made.source.open();
  await clock.advance(0);
  return { ...made, isLost: () => made.conditions().includes('lost') };
}

async function fleet(count: number, seed = 1) {
  const clock = manualClock();
  const flipt = countingFlipt();
  const store = memoryStore(clock);
  const random = chance(seed);
  const instances: Instance[] = [];
  for (let at = 0; at < count; at++) instances.push(await instance(flipt.answer, store, clock, random));
  await clock.advance(1.5 * POLL_MS);
  return { clock, flipt, store, random, instances };
}

describe('a fleet with a shared store', () => {
  it('polls Flipt once for all, at the start, at rest and after a change', async () => {
    const { clock, flipt, instances } = await fleet(20);
    expect(flipt.bodies).toBe(1);
    flipt.polls = 0;
    await clock.advance(10 * POLL_MS);
    expect(flipt.polls).toBeGreaterThanOrEqual(8);
    expect(flipt.polls).toBeLessThanOrEqual(13);
    flipt.state = 2;
    await clock.advance(2.4 * POLL_MS);
    expect(new Set(instances.map(stateOf))).toEqual(new Set([2]));
    expect(flipt.bodies).toBe(2);
    expect(instances.some(({ isLost }) => isLost())).toBe(false);
  });

  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'whose holder is killed at any time never thinks that it is lost, seed %i',
    async (seed) => {
      const { clock, store, random, flipt, instances } = await fleet(3, seed);
      await clock.advance(random() * 4 * POLL_MS);
      // What is killed gives nothing back: its lease and its heartbeat stay until they expire.
      const held = store.held.lease;
      const holders = instances.map(({ source }) => source);
      const killed = holders[Math.floor(random() * 3)];
      await killed?.close();
      store.held.lease = held;
      flipt.state = 2;
      await clock.advance(5 * POLL_MS);
      for (const { source, conditions, keys } of instances) {
        if (source === killed) continue;
        expect(conditions()).toEqual(['working']);
        expect(stateOf({ keys })).toBe(2);
      }
    },
  );

  it('is lost when nobody can reach Flipt, and found again', async () => {
    const { clock, flipt, instances } = await fleet(3);
    flipt.trouble = refusedConnection;
    await clock.advance(6 * POLL_MS);
    expect(instances.every(({ isLost }) => isLost())).toBe(true);
    flipt.trouble = undefined;
    await clock.advance(4 * POLL_MS);
    for (const { conditions } of instances) expect(conditions().at(-1)).toBe('working');
  });

  it('takes another holder if only the holder cannot reach Flipt', async () => {
    const clock = manualClock();
    const flipt = countingFlipt();
    const store = memoryStore(clock);
    let isCut = false;
    const cut: Answer = (request) => (isCut ? refusedConnection : flipt.answer(request));
    const holder = await instance(cut, store, clock, chance(1));
    const other = await instance(flipt.answer, store, clock, chance(2));
    await clock.advance(3 * POLL_MS);
    isCut = true;
    flipt.state = 2;
    await clock.advance(5 * POLL_MS);
    expect([holder, other].map(stateOf)).toEqual([2, 2]);
    expect([holder, other].map(({ isLost }) => isLost())).toEqual([false, false]);
  });

  it('asks Flipt for a user who knows of a change, and shares what that has found', async () => {
    const { clock, flipt, instances } = await fleet(3);
    flipt.state = 2;
    await instances[2]?.source.poller.pollNext('user');
    expect(instances.map(stateOf)[2]).toBe(2);
    await clock.advance(1.3 * POLL_MS);
    expect(instances.map(stateOf)).toEqual([2, 2, 2]);
  });

  it('writes the text again if a store has lost it or holds something else', async () => {
    for (const text of [undefined, '{"name":"app"}']) {
      const { clock, flipt, store, random } = await fleet(2);
      store.held.text = text;
      const late = await instance(flipt.answer, store, clock, random);
      await clock.advance(1.3 * POLL_MS);
      expect(stateOf(late)).toBe(1);
      expect(store.held.text).toContain('state-1');
    }
  });

  it('polls by itself while the store is away, hangs or lies, with one warning', async () => {
    const ways: readonly Way[] = [
      () => Promise.reject(new Error('store away')),
      () => new Promise(() => undefined),
      () => Promise.resolve({} as never),
    ];
    for (const way of ways) {
      const clock = manualClock();
      const flipt = countingFlipt();
      const one = await instance(flipt.answer, memoryStore(clock), clock, () => 0.5, way);
      await clock.advance(7_000);
      flipt.state = 2;
      await clock.advance(2 * POLL_MS);
      expect(stateOf(one)).toBe(2);
      expect(one.warnings.length).toBeLessThanOrEqual(2);
    }
  });

  it('polls a slow Flipt whose flags change often once an interval for all', async () => {
    const clock = manualClock();
    const flipt = countingFlipt();
    const store = memoryStore(clock);
    const slow: Answer = async (request) => {
      const outcome = flipt.answer(request);
      if (request.path !== INFO_PATH) await new Promise<void>((resolve) => clock.after(2_500, resolve));
      return outcome;
    };
    const instances = [
      await instance(slow, store, clock, chance(1)),
      await instance(slow, store, clock, chance(2)),
    ];
    flipt.polls = 0;
    for (let at = 0; at < 20; at++) {
      flipt.state++;
      await clock.advance(POLL_MS);
    }
    expect(flipt.polls).toBeLessThan(26);
    await clock.advance(2.4 * POLL_MS + 2_500);
    expect(instances.map(stateOf)).toEqual([flipt.state, flipt.state]);
    expect(instances.some(({ isLost }) => isLost())).toBe(false);
  });

  it('lets each instance find out for itself that there are no snapshots', async () => {
    const clock = manualClock();
    const store = memoryStore(clock);
    const none: Answer = () => reply(404, 'no');
    const one = await instance(none, store, clock, chance(1));
    const two = await instance(none, store, clock, chance(2));
    await clock.advance(4 * POLL_MS);
    expect([one, two].map(({ conditions }) => conditions())).toEqual([['not-offered'], ['not-offered']]);
  });

  it('does not announce what was polled before a pause that outlasted the lease', async () => {
    const { clock, flipt, store, random } = await fleet(0);
    let isAsleep = false;
    let wake = () => undefined as void;
    const sleepy: Answer = async (request) => {
      const outcome = await flipt.answer(request);
      if (isAsleep) await new Promise<void>((resolve) => (wake = resolve));
      return outcome;
    };
    const sleeper = await instance(sleepy, store, clock, random);
    const other = await instance(flipt.answer, store, clock, random);
    isAsleep = true;
    flipt.state = 2;
    await clock.advance(1.3 * POLL_MS);
    flipt.state = 3;
    await clock.advance(4 * POLL_MS);
    expect(stateOf(other)).toBe(3);
    const newest = store.held.text;
    isAsleep = false;
    wake();
    await clock.advance(0);
    expect(stateOf(sleeper)).toBe(2);
    expect(store.held.text).toBe(newest);
    await clock.advance(2.4 * POLL_MS);
    expect([sleeper, other].map(stateOf)).toEqual([3, 3]);
  });

  it('shows the state of the store', async () => {
    const { clock, instances } = await fleet(1);
    expect(instances[0]?.source.store()).toEqual({
      isFailing: false,
      savedAt: clock.date() - 1.5 * POLL_MS,
    });
  });

  it('goes back to no older snapshot, whatever the store loses or delays', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const clock = manualClock();
        const random = chance(seed);
        const flipt = countingFlipt();
        const store = memoryStore(clock);
        const way: Way = async (step) => {
          const luck = random();
          if (luck < 0.1) throw new Error('lost');
          if (luck < 0.3)
            await new Promise<void>((resolve) => clock.after(2_000 * random(), resolve, 'background'));
          return step();
        };
        const instances = [];
        for (let at = 0; at < 3; at++)
          instances.push(await instance(flipt.answer, store, clock, random, way));
        for (let round = 0; round < 10; round++) {
          if (random() < 0.5) flipt.state++;
          await clock.advance(random() * 2 * POLL_MS);
        }
        await clock.advance(6 * POLL_MS);
        for (const { keys } of instances) expect(stateOf({ keys })).toBe(flipt.state);
      }),
      { numRuns: 20 },
    );
  });
});
