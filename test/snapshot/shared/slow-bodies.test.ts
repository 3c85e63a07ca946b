import { expect, it } from 'vitest';
import type { SnapshotStore } from '../../../src/options/snapshot-store.js';
import { manualClock } from '../../clock.fixture.js';
import { chance, countingService, instance, POLL_MS, type Instance } from './fleet.fixture.js';
import { memoryStore } from './memory-store.fixture.js';

const SIZE = 10;
const BODY_MS = 2_500;

/** A fleet of a service that needs 2.5 s for each whole snapshot. */
async function fleet(reached: (store: SnapshotStore) => SnapshotStore = (store) => store) {
  const clock = manualClock();
  const service = countingService(clock);
  service.bodyMs = BODY_MS;
  const store = memoryStore(clock);
  const instances: Instance[] = [];
  for (let at = 0; at < SIZE; at++)
    instances.push(await instance(service.send, reached(store.reached()), clock, chance(at)));
  const close = async () => {
    const closing = Promise.all(instances.map((one) => one.close()));
    await clock.advance(10_000);
    await closing;
  };
  return { clock, service, instances, close };
}

it('one instance polls a slow service for all: no poll is rarer, and nobody thinks that the watch is lost', async () => {
  const { clock, service, instances, close } = await fleet();
  await clock.advance(POLL_MS);
  for (let change = 2; change < 10; change++) {
    service.state = change;
    for (let second = 0; second < 45; second++) {
      await clock.advance(1_000);
      for (const { snapshots } of instances) expect(snapshots.watch.lostForMs()).toBeLessThan(0);
    }
    expect(instances.map(({ state }) => state())).toEqual(instances.map(() => change));
  }
  expect(service.bodies).toBe(9);
  for (const { snapshots } of instances) expect(snapshots.watch.seenWithinMs()).toBe(2.4 * POLL_MS);
  await close();
});

it('while the store fails, each instance spares the service by itself', async () => {
  const { clock, service, instances, close } = await fleet((store) => ({
    ...store,
    shared: () => {
      const fails = () => Promise.reject(new Error('gone'));
      return { turn: fails, publish: fails, release: fails };
    },
  }));
  await clock.advance(POLL_MS);
  service.state = 2;
  await clock.advance(1.5 * POLL_MS);
  expect(service.bodies).toBe(2 * SIZE);
  const { polls } = service;
  await clock.advance(15_000);
  expect(service.polls - polls).toBeLessThanOrEqual(2);
  for (const { snapshots } of instances) expect(snapshots.watch.lostForMs()).toBeLessThan(0);
  await close();
});
