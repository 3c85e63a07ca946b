import { describe, expect, it } from 'vitest';
import { manualClock } from '../../clock.fixture.js';
import { refusedConnection, reply } from '../fetched.fixture.js';
import { chance, countingService, instance, POLL_MS, type Instance } from './fleet.fixture.js';
import { memoryStore, type Way } from './memory-store.fixture.js';

/** After this many milliseconds, a lease has expired, and the next look at the store has found it free. */
const TAKEOVER_MS = 2.4 * POLL_MS;
const FAILS = /^The shared store of the snapshot is failing; each instance polls Flipt: /;
const WORKS = 'The shared store of the snapshot works again: one instance polls Flipt for all';

/** Instances that share a store. Their calls go through `way`. */
async function fleet(size: number) {
  const clock = manualClock();
  const service = countingService(clock);
  const store = memoryStore(clock);
  const ways: { way: Way | undefined } = { way: undefined };
  const way: Way = (step) => (ways.way ?? direct)(step);
  const instances: Instance[] = [];
  const add = async () => {
    const added = instance(service.send, store.reached(way), clock, chance(instances.length));
    instances.push(await added);
  };
  for (let count = 0; count < size; count++) await add();
  const states = () => new Set(instances.map(({ state }) => state()));
  /** Polls of the service in this time. */
  const polls = async (ms: number) => {
    const before = service.polls;
    await clock.advance(ms);
    return service.polls - before;
  };
  const close = () => Promise.all(instances.map(({ snapshots }) => snapshots.close()));
  return { clock, service, store, ways, instances, add, states, polls, close };
}
const direct: Way = (step) => Promise.resolve().then(step);
const hangs: Way = () => new Promise(() => undefined);
const fails: Way = () => Promise.reject(new Error('OOM command not allowed'));

describe('a fleet with a shared store', () => {
  it('polls the service once for all, at the start, at rest and after a change', async () => {
    const { clock, service, states, polls, close } = await fleet(20);
    await clock.advance(5_000);
    expect(states()).toEqual(new Set([1]));
    expect(service).toMatchObject({ polls: 1, bodies: 1 });
    const atRest = await polls(10 * POLL_MS);
    expect(atRest).toBeGreaterThanOrEqual(8);
    expect(atRest).toBeLessThanOrEqual(13);
    service.state = 2;
    await clock.advance(TAKEOVER_MS);
    expect(states()).toEqual(new Set([2]));
    expect(service.bodies).toBe(2);
    await close();
    expect(clock.timers()).toBe(0);
  });

  it('is reliable while the holder confirms the snapshot, and lost when nobody can', async () => {
    const { clock, service, instances, close } = await fleet(5);
    await clock.advance(20 * POLL_MS);
    for (const { snapshots } of instances) expect(snapshots.watch.lostForMs()).toBeLessThan(0);
    service.trouble = refusedConnection;
    await clock.advance(6 * POLL_MS);
    for (const { snapshots } of instances) expect(snapshots.watch.lostForMs()).toBeGreaterThan(0);
    service.trouble = undefined;
    await clock.advance(2 * TAKEOVER_MS);
    for (const { snapshots } of instances) expect(snapshots.watch.lostForMs()).toBeLessThan(0);
    await close();
  });

  it.each([0, 3, 6, 9, 12])(
    'is never lost if the service is down for 41.5 s, whoever polls when the outage begins (after %i s)',
    async (seconds) => {
      const { clock, service, instances, close } = await fleet(40);
      await clock.advance(10 * POLL_MS + seconds * 1_000);
      const { polls } = service;
      while (service.polls === polls) await clock.advance(100);
      service.trouble = refusedConnection;
      await clock.advance(41_500);
      service.trouble = undefined;
      for (let step = 0; step < 60; step++) {
        for (const { snapshots } of instances) expect(snapshots.watch.lostForMs()).toBeLessThan(0);
        await clock.advance(500);
      }
      await close();
    },
  );

  it('polls about once an interval in all while the service is down, and in turns', async () => {
    const { clock, service, polls, store, close } = await fleet(20);
    await clock.advance(POLL_MS);
    service.trouble = refusedConnection;
    const holders = new Set<string | undefined>();
    let count = 0;
    for (let interval = 0; interval < 20; interval++) {
      count += await polls(POLL_MS);
      holders.add(store.held.lease?.holder);
    }
    expect(count).toBeLessThanOrEqual(40);
    expect(holders.size).toBeGreaterThan(3);
    await close();
  });

  it('waits as long as Retry-After asks for', async () => {
    const { clock, service, polls, close } = await fleet(20);
    await clock.advance(POLL_MS);
    service.trouble = reply(429, '', { 'retry-after': '270' });
    await clock.advance(2 * POLL_MS);
    expect(await polls(200_000)).toBe(0);
    service.trouble = undefined;
    expect(await polls(200_000)).toBeGreaterThan(0);
    await close();
  });

  it('has a new holder soon after the old one has given the lease back, or has died', async () => {
    const { clock, service, store, instances, polls, close } = await fleet(5);
    await clock.advance(2 * POLL_MS);
    const first = store.held.lease?.holder;
    await Promise.all(instances.splice(0, 1).map(({ snapshots }) => snapshots.close()));
    expect(await polls(1.2 * POLL_MS)).toBeGreaterThan(0);
    const second = store.held.lease?.holder;
    expect(second).not.toBe(first);
    // Like a process that was killed: its lease stays, and nobody renews it.
    store.held.lease = { holder: 'dead', fence: ++store.held.fences, until: clock.now() + POLL_MS };
    service.state = 2;
    await clock.advance(TAKEOVER_MS);
    expect(store.held.lease.holder).not.toBe('dead');
    await clock.advance(1.2 * POLL_MS);
    expect(new Set(instances.map(({ state }) => state()))).toEqual(new Set([2]));
    await close();
  });

  it('fetches one whole snapshot in all, even if the holder dies right after writing it', async () => {
    const { clock, service, store, instances, add, polls, close } = await fleet(1);
    await clock.advance(2 * POLL_MS);
    const [holder] = instances.splice(0, 1);
    await add();
    await clock.advance(2 * POLL_MS);
    service.state = 2;
    await holder?.snapshots.watch.poll('user');
    await clock.settle();
    expect(store.held.text).toContain('state-2');
    expect(instances[0]?.states).toEqual([1]);
    await holder?.snapshots.close();
    expect(await polls(TAKEOVER_MS)).toBeGreaterThan(0);
    expect(instances[0]?.states).toEqual([1, 2]);
    expect(service.bodies).toBe(2);
    await close();
  });

  it.each<[string, Way]>([
    ['fails', fails],
    ['hangs', hangs],
  ])('polls by itself, spread, while the store %s, and goes back when it works', async (_, way) => {
    const { clock, service, store, ways, instances, states, polls, close } = await fleet(10);
    await clock.advance(2 * POLL_MS);
    const releases: (() => void)[] = [];
    ways.way = (step) => {
      const held = new Promise<void>((resolve) => releases.push(resolve));
      return way === hangs ? held.then(step) : way(step);
    };
    await clock.advance(2 * POLL_MS);
    service.state = 2;
    const perSecond: number[] = [];
    for (let second = 0; second < 30; second++) perSecond.push(await polls(1_000));
    const sum = perSecond.reduce((all, one) => all + one);
    expect(sum).toBeGreaterThanOrEqual(14);
    expect(sum).toBeLessThanOrEqual(26);
    expect(Math.max(...perSecond)).toBeLessThanOrEqual(5);
    expect(states()).toEqual(new Set([2]));
    for (const { warnings } of instances) expect(warnings).toEqual([expect.stringMatching(FAILS)]);
    ways.way = undefined;
    for (const release of releases) release();
    store.held.record = undefined;
    await clock.advance(2 * TAKEOVER_MS);
    for (const { warnings } of instances) expect(warnings).toEqual([expect.stringMatching(FAILS), WORKS]);
    expect(await polls(10 * POLL_MS)).toBeLessThanOrEqual(13);
    await close();
  });

  it('writes everything again to a store that has lost it', async () => {
    const { clock, service, store, instances, states, close } = await fleet(5);
    await clock.advance(2 * POLL_MS);
    Object.assign(store.held, { lease: undefined, fences: 0, record: undefined, text: undefined });
    await clock.advance(TAKEOVER_MS);
    expect(store.held.text).toContain('state-1');
    expect(service.bodies).toBe(1);
    service.state = 2;
    await clock.advance(TAKEOVER_MS);
    expect(states()).toEqual(new Set([2]));
    for (const { warnings } of instances) expect(warnings).toEqual([]);
    await close();
  });

  it('polls by itself while the store holds garbage, and says so once', async () => {
    const { clock, service, store, instances, states, close } = await fleet(3);
    await clock.advance(2 * POLL_MS);
    service.state = 2;
    while (store.held.text?.includes('state-1')) await clock.advance(100);
    store.held.text = 'garbage';
    await clock.advance(TAKEOVER_MS);
    expect(states()).toEqual(new Set([2]));
    const warned = instances.filter(({ warnings }) => warnings.length > 0);
    expect(warned.length).toBeGreaterThan(0);
    for (const { warnings } of warned) {
      expect(warnings[0]).toMatch(/polls Flipt: it does not hold a snapshot$/);
      expect(warnings.slice(1)).toEqual([WORKS]);
    }
    await close();
  });

  it('never writes what a holder found before it was asleep for longer than its lease', async () => {
    const { clock, service, store, instances, close } = await fleet(1);
    await clock.advance(2 * POLL_MS);
    const [sleeper] = instances;
    // While its next poll is under way, another instance takes the lease and finds a newer snapshot.
    service.state = 2;
    Object.assign(service, { delayMs: 3 * POLL_MS });
    await clock.advance(1.2 * POLL_MS);
    Object.assign(service, { delayMs: 0, state: 3 });
    store.held.lease = { holder: 'other', fence: ++store.held.fences, until: clock.now() + 100 * POLL_MS };
    const other = await instance(service.send, store.reached(), clock, chance(9));
    await other.snapshots.watch.poll('user');
    await clock.advance(4 * POLL_MS);
    expect(store.held.text).toContain('state-1');
    expect(sleeper?.states).toEqual([1, 2]);
    expect(other.states).toEqual([1, 3]);
    await other.snapshots.close();
    await close();
  });

  it('asks the service for a user who knows of a change, and never goes back to an older snapshot', async () => {
    const { clock, service, instances, states, close } = await fleet(5);
    await clock.advance(2 * POLL_MS);
    service.state = 2;
    await Promise.all(instances.map(({ snapshots }) => snapshots.watch.poll('user')));
    expect(states()).toEqual(new Set([2]));
    await clock.advance(2 * TAKEOVER_MS);
    for (const one of instances) expect(one.states).toEqual([1, 2]);
    await close();
  });

  it('lets each instance find out for itself that there are no snapshots', async () => {
    const { service, add, polls, close } = await fleet(0);
    service.trouble = reply(404);
    for (let count = 0; count < 3; count++) await add();
    await polls(POLL_MS);
    expect(service.polls).toBe(3);
    // Less and less often, down to every five minutes.
    await polls(1_200_000);
    expect(await polls(240_000)).toBeLessThanOrEqual(3);
    await close();
  });

  it('shows the state of the store', async () => {
    const { clock, ways, store, instances, close } = await fleet(1);
    const reading = () => instances[0]?.snapshots.store();
    await clock.advance(POLL_MS);
    expect(reading()).toEqual({ isFailing: false, savedAt: expect.any(Number) as number });
    ways.way = fails;
    await clock.advance(2 * POLL_MS);
    expect(reading()).toMatchObject({ isFailing: true });
    ways.way = undefined;
    await close();
    expect(store.held.lease).toBeUndefined();
  });
});
