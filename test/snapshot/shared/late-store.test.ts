import { describe, expect, it } from 'vitest';
import type { SnapshotStore } from '../../../src/options/snapshot-store.js';
import { manualClock, type ManualClock } from '../../clock.fixture.js';
import { bodyJson, refusedConnection, reply } from '../fetched.fixture.js';
import { chance, countingService, instance, POLL_MS, type Instance } from './fleet.fixture.js';
import { memoryStore } from './memory-store.fixture.js';

const FAILS = /^The shared store of the snapshot is failing; each instance polls Flipt: /;
const TAKEOVER_MS = 2.4 * POLL_MS;

/** Instances with a store whose parts a test replaces. */
async function fleet(
  size: number,
  alter: (store: SnapshotStore, clock: ManualClock) => Partial<SnapshotStore>,
) {
  const clock = manualClock();
  const service = countingService(clock);
  const store = memoryStore(clock);
  const instances: Instance[] = [];
  for (let at = 0; at < size; at++) {
    const reached = store.reached();
    instances.push(await instance(service.send, { ...reached, ...alter(reached, clock) }, clock, chance(at)));
  }
  await clock.advance(2 * POLL_MS);
  const states = () => new Set(instances.map(({ state }) => state()));
  const loads = () => store.calls.filter((name) => name === 'load').length;
  const warnings = () => instances.flatMap((one) => one.warnings);
  const close = async () => {
    const closing = Promise.all(instances.map(({ snapshots }) => snapshots.close()));
    await clock.advance(10_000);
    await closing;
  };
  return { clock, service, store, instances, states, loads, warnings, close };
}

/** Reads come from a replica that has each text some time later. */
function replica(lagMs: () => number) {
  const texts: { readonly at: number; readonly text: string | undefined }[] = [];
  return {
    note: (text: string | undefined, now: number) => {
      if (texts.at(-1)?.text !== text) texts.push({ at: now, text });
    },
    read: (now: number) => (texts.findLast(({ at }) => at <= now - lagMs()) ?? texts[0])?.text,
  };
}

/** A fleet whose instances read texts from the replica. */
async function lagging(size: number, lagMs: () => number) {
  const far = replica(lagMs);
  const reads = { count: 0 };
  const made = await fleet(size, (reached, clock) => ({
    load: async (place) => {
      reads.count++;
      far.note(await reached.load(place), clock.now());
      return far.read(clock.now());
    },
  }));
  /** Time passes, and the replica follows. */
  const advance = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      far.note(made.store.held.text, made.clock.now());
      await made.clock.advance(100);
    }
  };
  return { ...made, advance, reads };
}

describe('a text that comes from a replica that lags', () => {
  it('is not taken for the newer record, and the right one is read as soon as it is there', async () => {
    const lag = { ms: 0 };
    const { advance, service, states, warnings, reads, close } = await lagging(10, () => lag.ms);
    await advance(5_000);
    lag.ms = 4_000;
    reads.count = 0;
    service.state = 2;
    await advance(TAKEOVER_MS + 8_000);
    expect(states()).toEqual(new Set([2]));
    expect(service.bodies).toBe(2);
    // Each instance waits half a second, then as long again as it has waited.
    expect(reads.count).toBeLessThanOrEqual(9 * 6);
    expect(warnings()).toEqual([]);
    await close();
  });

  it('is waited for during a minute; then each instance asks the service itself, until the replica is back', async () => {
    const lag = { ms: 0 };
    const { advance, clock, service, states, instances, warnings, close } = await lagging(10, () => lag.ms);
    await advance(5_000);
    lag.ms = Infinity;
    service.state = 2;
    await advance(TAKEOVER_MS + 60_000 + TAKEOVER_MS);
    expect(states()).toEqual(new Set([2]));
    for (const { snapshots } of instances) expect(snapshots.watch.lostForMs()).toBeLessThan(0);
    // With the snapshot of the service, the record is confirmed again.
    for (const one of instances.filter((each) => each.warnings.length > 0)) {
      expect(one.warnings).toEqual([expect.stringMatching(FAILS), expect.stringContaining('works again')]);
    }
    expect(warnings()[0]).toContain('the snapshot of its record does not come');
    lag.ms = 0;
    await advance(TAKEOVER_MS);
    const before = service.polls;
    await clock.advance(10 * POLL_MS);
    expect(service.polls - before).toBeLessThanOrEqual(13);
    await close();
  });
});

describe('two versions of this package in one fleet', () => {
  it('read each other’s texts: one without its record is used, and one with it is read by the other', async () => {
    const without = (text: string | undefined) => text?.replace(/"record":"[^"]*",/, '');
    let isNew = false;
    // The older version writes no record, and does not look for it.
    const { clock, service, instances, states, warnings, store, close } = await fleet(4, (reached) => {
      isNew = !isNew;
      if (isNew) return {};
      return {
        load: async (place) => without(await reached.load(place)),
        shared: (place) => {
          const shared = reached.shared?.(place);
          if (shared === undefined) throw new Error('it is shared');
          return { ...shared, publish: (one) => shared.publish({ ...one, text: without(one.text) }) };
        },
      };
    });
    const holders = new Set<string | undefined>();
    for (let change = 2; change <= 5; change++) {
      service.state = change;
      await clock.advance(TAKEOVER_MS);
      expect(states()).toEqual(new Set([change]));
      const holder = store.held.lease?.holder;
      holders.add(/"record":/.test(store.held.text ?? '') ? 'new' : 'old');
      // The holder dies, and another one takes over.
      store.held.lease = undefined;
      expect(holder).toBeDefined();
    }
    for (const one of instances) expect(one.states).toEqual([1, 2, 3, 4, 5]);
    expect(warnings()).toEqual([]);
    await close();
  });
});

/** A store whose clock is ahead by so much. */
function stepping(byMs: () => number) {
  return (reached: SnapshotStore): Partial<SnapshotStore> => ({
    shared: (place) => {
      const shared = reached.shared?.(place);
      if (shared === undefined) throw new Error('it is shared');
      const turn: typeof shared.turn = async (holder, leaseMs) => {
        const { time, ...rest } = await shared.turn(holder, leaseMs);
        return { ...rest, time: time + byMs() };
      };
      return { ...shared, turn };
    },
  });
}

describe('the store’s clock', () => {
  it('may step back: a record that was seen before does not hide an outage', async () => {
    let stepMs = 0;
    const { clock, service, instances, close } = await fleet(
      5,
      stepping(() => stepMs),
    );
    service.trouble = refusedConnection;
    stepMs = -3_600_000;
    await clock.advance(6 * POLL_MS);
    for (const { snapshots } of instances) expect(snapshots.watch.lostForMs()).toBeGreaterThan(0);
    service.trouble = undefined;
    await clock.advance(2 * TAKEOVER_MS);
    for (const { snapshots } of instances) expect(snapshots.watch.lostForMs()).toBeLessThan(0);
    service.state = 2;
    await clock.advance(TAKEOVER_MS);
    expect(new Set(instances.map(({ state }) => state()))).toEqual(new Set([2]));
    await close();
  });

  it('may step back: a snapshot that an instance has replaced does not come back', async () => {
    let stepMs = 0;
    const { clock, service, instances, close } = await fleet(
      5,
      stepping(() => stepMs),
    );
    service.state = 2;
    stepMs = -3_600_000;
    await Promise.all(instances.slice(1).map(({ snapshots }) => snapshots.watch.poll('user')));
    await clock.advance(2 * TAKEOVER_MS);
    for (const { states } of instances) expect(states).toEqual([1, 2]);
    await close();
  });
});

describe('an ETag that alternates between two', () => {
  it('makes nobody load the snapshot again whose contents are the same', async () => {
    const { clock, service, loads, states, close } = await fleet(20, () => ({}));
    let polls = 0;
    const before = loads();
    service.trouble = reply(200, bodyJson({ 'state-1': true }), { etag: 'one' });
    for (let interval = 0; interval < 20; interval++) {
      service.trouble = reply(200, bodyJson({ 'state-1': true }), { etag: `tag-${++polls % 2}` });
      await clock.advance(POLL_MS);
    }
    expect(loads() - before).toBe(0);
    expect(states()).toEqual(new Set([1]));
    await close();
  });
});

describe('loads that take longer than 5 s', () => {
  it('make none of many instances ask the service, and all have the snapshot when it has come', async () => {
    const slow = { ms: 0 };
    const { clock, service, instances, states, warnings, close } = await fleet(100, (reached, it) => ({
      load: async (place) => {
        if (slow.ms > 0) await new Promise<void>((resolve) => it.after(slow.ms, resolve));
        return reached.load(place);
      },
    }));
    slow.ms = 12_000;
    const { polls } = service;
    service.state = 2;
    await clock.advance(TAKEOVER_MS + 12_000);
    expect(states()).toEqual(new Set([2]));
    expect(service.bodies).toBe(2);
    expect(service.polls - polls).toBeLessThanOrEqual(5);
    for (const { snapshots } of instances) expect(snapshots.watch.lostForMs()).toBeLessThan(0);
    expect(warnings()).toEqual([]);
    await close();
  });

  it('do not keep a holder from renewing its lease', async () => {
    const slow = { ms: 0 };
    const { clock, service, store, close } = await fleet(3, (reached, it) => ({
      load: async (place) => {
        if (slow.ms > 0) await new Promise<void>((resolve) => it.after(slow.ms, resolve));
        return reached.load(place);
      },
    }));
    slow.ms = 4_900;
    store.held.lease = undefined;
    service.state = 2;
    store.held.record = { version: 'other', confirmedAt: clock.now() + 1 };
    await clock.advance(2 * TAKEOVER_MS);
    const holder = store.held.lease;
    await clock.advance(4 * POLL_MS);
    expect(holder).toBeDefined();
    expect(store.held.lease).toMatchObject({ fence: store.held.fences });
    await close();
  });
});
