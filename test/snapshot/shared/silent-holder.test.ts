import { describe, expect, it } from 'vitest';
import { manualClock } from '../../clock.fixture.js';
import { reply } from '../fetched.fixture.js';
import { chance, countingService, instance, losing, type Instance } from './fleet.fixture.js';
import { memoryStore } from './memory-store.fixture.js';

const POLL_MS = 2_000;
const BODY_MS = 10;

/** Instances that share a store, each with its own way to the service. The first one holds the lease. */
async function fleet(size: number, seed = 0, bodyMs = BODY_MS) {
  const clock = manualClock();
  const service = countingService(clock);
  service.delayMs = bodyMs;
  const store = memoryStore(clock);
  const ways = Array.from({ length: size }, () => losing(service.send, clock));
  const instances: Instance[] = [];
  for (const [at, { send }] of ways.entries()) {
    instances.push(await instance(send, store.reached(), clock, chance(seed + at), POLL_MS));
    await clock.advance(300);
  }
  await clock.advance(20_000);
  const [holdersWay, ...others] = ways;
  const [holder, ...followers] = instances;
  if (holder === undefined || holdersWay === undefined) throw new Error('a fleet of none');
  /** Resolves right after a poll of the service. */
  const afterPoll = async () => {
    const { polls } = service;
    while (service.polls === polls) await clock.advance(10);
    await clock.advance(2 * bodyMs);
  };
  /** Milliseconds until all of these have seen a change that happens now. */
  const changeSeen = async (by: readonly Instance[]) => {
    const since = clock.now();
    service.state++;
    while (by.some(({ state }) => state() !== service.state) && clock.now() - since < 200_000)
      await clock.advance(50);
    return clock.now() - since;
  };
  const close = async () => {
    const closing = Promise.all(instances.map(({ snapshots }) => snapshots.close()));
    await clock.advance(1_000);
    await closing;
  };
  return { clock, service, store, holder, holdersWay, others, followers, afterPoll, changeSeen, close };
}

describe('a holder of the lease whose polls get no answer', () => {
  it.each([2, 3, 5, 20])('hides a change from the others, %i in all, for 10 s at most', async (size) => {
    for (let seed = 0; seed < 10; seed++) {
      const { store, holdersWay, followers, afterPoll, changeSeen, clock, close } = await fleet(
        size,
        seed * 100,
      );
      const first = store.held.lease?.holder;
      await afterPoll();
      holdersWay.isLost = true;
      expect(await changeSeen(followers)).toBeLessThanOrEqual(10_000);
      expect(store.held.lease?.holder).not.toBe(first);
      await clock.advance(30_000);
      for (const { snapshots } of followers) expect(snapshots.watch.lostForMs()).toBeLessThan(0);
      await close();
    }
  });

  it('learns what the new holder finds, and the others do not poll', async () => {
    const { clock, service, holder, holdersWay, afterPoll, changeSeen, close } = await fleet(10);
    await afterPoll();
    holdersWay.isLost = true;
    await clock.advance(30_000);
    const before = service.polls;
    expect(await changeSeen([holder])).toBeLessThanOrEqual(2.4 * POLL_MS + 100);
    await clock.advance(20_000);
    expect(service.polls - before).toBeLessThanOrEqual(16);
    expect(holder.snapshots.watch.lostForMs()).toBeLessThan(0);
    await close();
  });

  it('asks again at once, also where a whole snapshot takes long', async () => {
    const { clock, store, holdersWay, afterPoll, changeSeen, holder, close } = await fleet(1, 0, 500);
    await afterPoll();
    holdersWay.isLost = true;
    while (holdersWay.lost === 0) await clock.advance(50);
    holdersWay.isLost = false;
    expect(await changeSeen([holder])).toBeLessThanOrEqual(3_000);
    expect(store.held.lease?.fence).toBe(1);
    await close();
  });

  it('keeps the lease if only its connection was dead', async () => {
    const { clock, store, holdersWay, afterPoll, changeSeen, followers, close } = await fleet(5);
    const first = store.held.lease;
    await afterPoll();
    holdersWay.isLost = true;
    await clock.advance(2_500);
    holdersWay.isLost = false;
    expect(await changeSeen(followers)).toBeLessThanOrEqual(10_000);
    await clock.advance(30_000);
    expect(store.held.lease).toMatchObject({ holder: first?.holder, fence: first?.fence });
    await close();
  });

  it('shares the silence with all others if the service is silent for all, two requests for each lease', async () => {
    const { clock, holdersWay, others, afterPoll, changeSeen, followers, close } = await fleet(20);
    await afterPoll();
    const all = [holdersWay, ...others];
    for (const way of all) way.isLost = true;
    const before = all.reduce((sum, { lost }) => sum + lost, 0);
    await clock.advance(60_000);
    // A holder begins every four seconds: two of the limit, and two until the lease has expired.
    expect(all.reduce((sum, { lost }) => sum + lost, 0) - before).toBeLessThanOrEqual(2 * 20);
    for (const way of all) way.isLost = false;
    expect(await changeSeen(followers)).toBeLessThanOrEqual(20_000);
    await close();
  });
});

describe('a holder of the lease', () => {
  it('renews it while a slow service answers within the limit', async () => {
    const { clock, service, store, changeSeen, followers, holder, close } = await fleet(10);
    const first = store.held.lease;
    service.delayMs = 1_900;
    await changeSeen([holder, ...followers]);
    // Three times the last whole body: longer than four attempts, and than the lease.
    service.delayMs = 5_000;
    const before = service.bodies;
    await changeSeen([holder, ...followers]);
    expect(service.bodies - before).toBe(1);
    await clock.advance(60_000);
    expect(store.held.lease).toMatchObject({ holder: first?.holder, fence: first?.fence });
    await close();
  });

  it.each([429, 503])('keeps it through replies of %i', async (status) => {
    const { clock, service, store, close } = await fleet(5);
    const first = store.held.lease;
    service.trouble = reply(status, '', { 'retry-after': '20' });
    await clock.advance(15_000);
    expect(store.held.lease).toMatchObject({ holder: first?.holder, fence: first?.fence });
    await close();
  });

  it('without any snapshot gives it up after 30 s without an answer, so that another one can fetch', async () => {
    const clock = manualClock();
    const service = countingService(clock);
    const store = memoryStore(clock);
    const lost = losing(service.send, clock);
    lost.isLost = true;
    const holder = await instance(lost.send, store.reached(), clock, chance(1), POLL_MS);
    await clock.advance(100);
    const other = await instance(service.send, store.reached(), clock, chance(2), POLL_MS);
    await clock.advance(29_000);
    expect([holder.state(), other.state()]).toEqual([0, 0]);
    await clock.advance(5_000);
    expect([holder.state(), other.state()]).toEqual([1, 1]);
    expect(service.bodies).toBe(1);
    await Promise.all([holder.snapshots.close(), other.snapshots.close()]);
  });
});
