import { describe, expect, it } from 'vitest';
import { manualClock } from '../../clock.fixture.js';
import { chance, countingService, instance, POLL_MS } from './fleet.fixture.js';
import { memoryStore } from './memory-store.fixture.js';

describe('an instance with a shared store that does not do what its interface says', () => {
  const REFUSED = 'shared: expected an object with the functions turn, publish and release, got ';

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no database');
      },
      'no database',
    ],
    ['is async', () => Promise.resolve({}), `${REFUSED}a promise`],
    // An unhandled rejection would end the process, and fails this test.
    ['is async and rejects', () => Promise.reject(new Error('no database')), `${REFUSED}a promise`],
    ['lacks functions', () => ({ turn: () => undefined }), `${REFUSED}an object`],
    ['gives null', () => null, `${REFUSED}null`],
  ])('polls by itself if shared %s, and says so', async (_, shared, why) => {
    const clock = manualClock();
    const service = countingService(clock);
    const store = {
      ...memoryStore(clock).reached(),
      shared: shared as () => never,
    };
    const { state, snapshots, warnings } = await instance(service.send, store, clock, chance(1));
    await clock.advance(POLL_MS);
    expect(state()).toBe(1);
    expect(warnings).toEqual([`The shared store of the snapshot is not used: ${why}`]);
    await snapshots.close();
  });

  it('polls by itself if publish returns a wrong value, and says so', async () => {
    const clock = manualClock();
    const service = countingService(clock);
    const reached = memoryStore(clock).reached();
    const store: typeof reached = {
      ...reached,
      shared: (place) => {
        const shared = reached.shared?.(place);
        if (shared === undefined) throw new Error('it is shared');
        return { ...shared, publish: () => Promise.resolve(undefined as never) };
      },
    };
    const { state, snapshots, warnings } = await instance(service.send, store, clock, chance(1));
    await clock.advance(POLL_MS);
    expect(state()).toBe(1);
    expect(warnings).toEqual([
      expect.stringMatching(/: the store returned a value that its interface does not allow$/),
    ]);
    await snapshots.close();
  });

  it.each(['turn', 'publish', 'load'] as const)(
    'shares polls again two minutes after a call of %s that never ends',
    async (lost) => {
      const clock = manualClock();
      const service = countingService(clock);
      const store = memoryStore(clock);
      const reached = store.reached();
      let isLost = false;
      const unlessLost =
        <Args extends unknown[], Result>(name: typeof lost, call: (...args: Args) => Promise<Result>) =>
        (...args: Args): Promise<Result> =>
          isLost && name === lost ? new Promise(() => undefined) : call(...args);
      const losing: typeof reached = {
        ...reached,
        load: unlessLost('load', (place) => reached.load(place)),
        shared: (place) => {
          const shared = reached.shared?.(place);
          if (shared === undefined) throw new Error('it is shared');
          return {
            ...shared,
            turn: unlessLost('turn', (...asked) => shared.turn(...asked)),
            publish: unlessLost('publish', (...asked) => shared.publish(...asked)),
          };
        },
      };
      const one = await instance(service.send, losing, clock, chance(1));
      await clock.advance(POLL_MS);
      // It holds the lease. Only the other one has to load a new text.
      const [healthy, troubled] = [store.reached(), losing];
      const other = await instance(service.send, lost === 'load' ? troubled : healthy, clock, chance(2));
      await clock.advance(POLL_MS);
      isLost = true;
      service.state = 2;
      await clock.advance(60_000);
      isLost = false;
      await clock.advance(120_000);

      service.state = 3;
      const before = service.polls;
      await clock.advance(4 * POLL_MS);
      for (const { state, snapshots } of [one, other]) {
        expect(state()).toBe(3);
        expect(snapshots.store()?.isFailing).toBe(false);
      }
      expect(service.polls - before).toBeLessThanOrEqual(5);
      await Promise.all([one.close(), other.close()]);
    },
  );
});
