import { describe, expect, it } from 'vitest';
import { manualClock } from '../../clock.fixture.js';
import { chance, countingService, instance, POLL_MS, type Instance } from './fleet.fixture.js';
import { memoryStore } from './memory-store.fixture.js';

const USUAL_MS = 2.4 * POLL_MS;

async function fleet(size: number, bodyMs: number) {
  const clock = manualClock();
  const service = countingService(clock);
  service.bodyMs = bodyMs;
  const store = memoryStore(clock);
  const instances: Instance[] = [];
  const add = async () => {
    instances.push(await instance(service.send, store.reached(), clock, chance(instances.length)));
  };
  const start = async () => {
    for (let count = 0; count < size; count++) await add();
  };
  const longestMs = () => Math.max(...instances.map(({ snapshots }) => snapshots.watch.seenWithinMs()));
  const close = (all: readonly Instance[] = instances) =>
    Promise.all(all.map(({ snapshots }) => snapshots.close()));
  await start();
  return { clock, service, store, instances, start, longestMs, close };
}

describe('in a fleet with a shared store', () => {
  it('one slow body of the holder makes changes later for nobody', async () => {
    const { clock, service, store, longestMs, close } = await fleet(10, 5_000);
    await clock.advance(10_000);
    service.bodyMs = 46;
    expect(longestMs()).toBe(USUAL_MS);
    // As much as one flag explains.
    expect(store.held.record).toMatchObject({ fullBodyMs: 3 });
    await clock.advance(150_000);
    expect(longestMs()).toBe(USUAL_MS);
    expect(store.held.record).toMatchObject({ fullBodyMs: 46 });
    expect(service.bodies).toBe(2);
    await close();
  });

  it('a real cost counts for all, and nobody thinks that the watch is lost', async () => {
    const { clock, service, store, instances, longestMs, close } = await fleet(10, 2_500);
    await clock.advance(200_000);
    expect(store.held.record).toMatchObject({ fullBodyMs: 2_500 });
    expect(longestMs()).toBe(2.4 * 50_000);
    for (let second = 0; second < 300; second++) {
      await clock.advance(1_000);
      for (const { snapshots } of instances) expect(snapshots.watch.lostForMs()).toBeLessThan(0);
    }
    expect(service.bodies).toBeLessThanOrEqual(4);
    await close();
  });

  it('the next holder proves the cost by its own bodies', async () => {
    const { clock, service, store, instances, longestMs, close } = await fleet(10, 2_500);
    await clock.advance(200_000);
    const first = store.held.lease?.holder;
    service.bodyMs = 46;
    await close(instances.splice(0, 1));
    await clock.advance(USUAL_MS);
    expect(store.held.lease?.holder).not.toBe(first);
    await clock.advance(1.2 * POLL_MS);
    expect(longestMs()).toBe(USUAL_MS);
    await close();
  });

  it('no cost outlives a restart of all', async () => {
    const { clock, store, instances, start, longestMs, close } = await fleet(10, 2_500);
    await clock.advance(200_000);
    await close(instances.splice(0));
    expect(store.held.record).toMatchObject({ fullBodyMs: 2_500 });
    await start();
    await clock.advance(USUAL_MS);
    expect(longestMs()).toBe(USUAL_MS);
    await close();
  });

  it('a holder that dies before it has measured again leaves no wrong cost behind', async () => {
    const { clock, service, store, instances, longestMs, close } = await fleet(5, 5_000);
    await clock.advance(10_000);
    // The cost of an older version of this package, which believes one body.
    if (store.held.record) store.held.record = { ...store.held.record, fullBodyMs: 5_000 };
    service.bodyMs = 46;
    await close(instances.splice(0, 1));
    await clock.advance(USUAL_MS + 1.2 * POLL_MS);
    expect(longestMs()).toBe(USUAL_MS);
    await close();
  });
});
