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
});
