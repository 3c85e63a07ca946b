import { describe, expect, it } from 'vitest';
import { manualClock, type ManualClock } from '../clock.fixture.js';
import { memoryStore } from './shared/memory-store.fixture.js';
import { savingStore } from './stores/saving-store.fixture.js';
import { bodyJson, refusedConnection, reply } from './fetched.fixture.js';
import { upgradable, watchingVersions } from './version/versions.fixture.js';

const MINUTE = 60_000;
/** Within so much time, a poll has come. */
const SEEN_WITHIN_MS = 18_000;
const TAG = 'a'.repeat(40);

const v1 = (version: string) => reply(200, { version, isRelease: true });
const v2 = (version: string, isRelease = true) => reply(200, { build: { version, isRelease } });

/** A Flipt whose tag stays the same, whatever changes. */
function lying(clock: ManualClock, info = v2('v2.8.0')) {
  const service = upgradable(clock, info);
  service.etag = TAG;
  const set = (sale: boolean) => {
    service.body = bodyJson({ sale, other: true }, info === ofV1 ? {} : { digest: TAG });
  };
  set(true);
  return Object.assign(service, { set });
}
const ofV1 = v1('v1.58.5');

type Watching = Awaited<ReturnType<typeof watchingVersions>>;

function isOn({ evaluate }: Pick<Watching, 'evaluate'>): boolean | undefined {
  const answer = evaluate({ namespace: 'default', flag: 'sale', entity: 'x', attributes: {} });
  return answer?.kind === 'boolean' ? answer.enabled : undefined;
}

/** One instance that has polled such a Flipt once. */
async function watching(info = v2('v2.8.0')) {
  const clock = manualClock();
  const service = lying(clock, info);
  const snapshots = await watchingVersions(service.send, clock);
  await clock.advance(1);
  return { clock, service, snapshots };
}
type Watched = Awaited<ReturnType<typeof watching>>;

/** One whole snapshot within so much time shows the change, and no other one follows. */
async function expectSeenOnce({ clock, service, snapshots }: Watched, withinMs: number): Promise<void> {
  await clock.advance(withinMs);
  expect([isOn(snapshots), service.bodies]).toEqual([false, 2]);
  await clock.advance(MINUTE);
  expect(service.bodies).toBe(2);
}

describe('a flag that is switched off under the same ETag', () => {
  it.each(['v2.0.0', 'v2.8.0', '2.9.1', 'v2.10.2'])(
    'is seen by the next poll of Flipt %s, which names no tag',
    async (version) => {
      const { clock, service, snapshots } = await watching(v2(version));
      await clock.advance(10 * MINUTE);
      service.set(false);
      await clock.advance(SEEN_WITHIN_MS);
      expect([isOn(snapshots), snapshots.changed]).toEqual([false, [['sale']]]);
      expect(new Set(service.named)).toEqual(new Set([undefined]));
      await snapshots.close();
    },
  );

  it.each(['v0.9.0', 'v1.40.0', 'v1.59.1'])(
    'is seen within a minute of Flipt %s, and most polls name their tag',
    async (version) => {
      const { clock, service, snapshots } = await watching(v1(version));
      await clock.advance(10 * MINUTE);
      expect([service.polls, service.bodies]).toEqual([41, 11]);
      service.set(false);
      await clock.advance(MINUTE + SEEN_WITHIN_MS);
      expect(isOn(snapshots)).toBe(false);
      await snapshots.close();
    },
  );

  it.each([
    ['v1.59.2', v1('v1.59.2')],
    ['v1.61.1', v1('v1.61.1')],
    ['v2.11.0', v2('v2.11.0')],
    ['v3.0.0', v2('v3.0.0')],
    ['that names no release', v2('v2.0.0-dev', false)],
    ['that does not say its version', reply(401, {})],
    ['behind a CDN that knows no other path', reply(404, {})],
  ])('is seen within `watch.maxAgeMs` of a Flipt %s', async (_what, info) => {
    const { clock, service, snapshots } = await watching(info);
    service.set(false);
    await clock.advance(7 * MINUTE);
    expect([isOn(snapshots), service.bodies]).toEqual([true, 1]);
    await clock.advance(3 * MINUTE);
    expect([isOn(snapshots), service.bodies]).toEqual([false, 2]);
    await clock.advance(60 * MINUTE);
    expect(service.bodies).toBeLessThan(11);
    await snapshots.close();
  });

  it('is seen at once after `invalidate()`, by any version', async () => {
    const { clock, service, snapshots } = await watching(v2('v2.11.0'));
    service.set(false);
    await snapshots.watch.poll('user');
    expect(isOn(snapshots)).toBe(false);
    await snapshots.watch.poll('stream');
    await clock.advance(5 * MINUTE);
    expect(service.named.filter((tag) => tag === undefined)).toHaveLength(2);
    await snapshots.close();
  });

  it('is seen by the first poll that succeeds after a failure', async () => {
    const { clock, service, snapshots } = await watching(v2('v2.11.0'));
    service.isDown = true;
    await clock.advance(2 * MINUTE);
    service.isDown = false;
    service.set(false);
    await expectSeenOnce({ clock, service, snapshots }, 1.5 * SEEN_WITHIN_MS);
    await snapshots.close();
  });

  it('is seen by the next poll when answers contradict the snapshot', async () => {
    const { clock, service, snapshots } = await watching(v2('v2.11.0'));
    service.set(false);
    snapshots.doubt();
    await expectSeenOnce({ clock, service, snapshots }, SEEN_WITHIN_MS);
    await snapshots.close();
  });

  it('is seen as soon as Flipt has said its version, if the first poll after a restart named the kept tag', async () => {
    for (const infoFirst of [true, false]) {
      const clock = manualClock();
      const { store } = savingStore();
      const service = lying(clock);
      const before = await watchingVersions(service.send, clock, { store });
      await clock.advance(1);
      await before.close();
      service.set(false);
      service.named.length = 0;
      const send: typeof service.send = async (request) => {
        const isInfo = request.path === '/meta/info';
        if (isInfo !== infoFirst) await new Promise<void>((resolve) => clock.after(100, resolve));
        return service.send(request);
      };
      const after = await watchingVersions(send, clock, { store });
      expect(isOn(after)).toBe(true);
      await clock.advance(201);
      expect([isOn(after), service.named]).toEqual([false, [TAG, undefined]]);
      await after.close();
    }
  });

  describe('after a restart with a kept snapshot', () => {
    /** A Flipt, and two runs of one instance. The second begins once the test has changed what Flipt does. */
    const restarted = async (change: (service: ReturnType<typeof lying>) => void, bodyMs = 0) => {
      const clock = manualClock();
      const { store } = savingStore();
      const service = Object.assign(lying(clock, v2('v2.11.0')), { bodyMs });
      const before = await watchingVersions(service.send, clock, { store });
      await clock.advance(bodyMs + 1);
      change(service);
      await clock.advance(MINUTE);
      await before.close();
      service.named.length = 0;
      const snapshots = await watchingVersions(service.send, clock, { store });
      await clock.advance(1);
      return { clock, service, snapshots };
    };

    it('the first poll names its tag, whatever failed in the run before', async () => {
      const { service, snapshots } = await restarted((of) => {
        of.isDown = true;
      });
      expect(service.named).toEqual([TAG]);
      await snapshots.close();
    });

    it('a poll goes without after one of this run has failed, and one is enough', async () => {
      const { clock, service, snapshots } = await restarted((of) => {
        of.isDown = true;
      });
      await clock.advance(MINUTE);
      service.isDown = false;
      service.set(false);
      await expectSeenOnce({ clock, service, snapshots }, 1.5 * SEEN_WITHIN_MS);
      await snapshots.close();
    });

    it('that holds for a large database, too, as this run has not measured a whole snapshot', async () => {
      const { clock, service, snapshots } = await restarted((of) => {
        of.isDown = true;
      }, 1_000);
      await clock.advance(MINUTE);
      service.isDown = false;
      await clock.advance(2 * SEEN_WITHIN_MS);
      expect(service.bodies).toBe(2);
      // Now it has, so that the next failure brings none.
      service.isDown = true;
      await clock.advance(MINUTE);
      service.isDown = false;
      await clock.advance(2 * MINUTE);
      expect(service.bodies).toBe(2);
      await snapshots.close();
    });
  });

  it('is kept for the next start, although the version of the snapshot is the same', async () => {
    const clock = manualClock();
    const { store, saved } = savingStore();
    const service = lying(clock);
    const snapshots = await watchingVersions(service.send, clock, { store });
    await clock.advance(MINUTE);
    service.set(false);
    await clock.advance(SEEN_WITHIN_MS + 5_000);
    expect(saved.at(-1)).toMatch(/"key":"sale"[^}]*"enabled":false/);
    await snapshots.close();
  });

  it.each([
    ['v2.8.0', v2('v2.8.0'), 2.4 * SEEN_WITHIN_MS],
    ['v1.58.5', ofV1, MINUTE + 2.4 * SEEN_WITHIN_MS],
  ])('is seen by all instances that share a store, of Flipt %s', async (_what, info, withinMs) => {
    const clock = manualClock();
    const held = memoryStore(clock);
    const service = lying(clock, info);
    const fleet = await Promise.all(
      Array.from({ length: 4 }, () => watchingVersions(service.send, clock, { store: held.reached() })),
    );
    await clock.advance(5 * MINUTE);
    service.set(false);
    await clock.advance(withinMs);
    expect(fleet.map(isOn)).toEqual([false, false, false, false]);
    // The instance that polls names the tag that it has from the store, and takes no snapshot back from there.
    for (const one of fleet.splice(0, 2)) await one.close();
    await clock.advance(2 * MINUTE);
    expect(fleet.map(isOn)).toEqual([false, false]);
    for (const one of fleet) await one.close();
  });
});

describe('a whole snapshot that is the same again', () => {
  it.each([
    ['byte for byte', (body: object) => body],
    ['in another order', (body: object) => Object.fromEntries(Object.entries(body).toReversed())],
  ])('%s is no change, and stays the same object', async (_what, again) => {
    const { clock, service, snapshots } = await watching();
    const first = snapshots.watch.snapshot();
    service.body = again(service.body);
    await clock.advance(5 * MINUTE);
    expect([snapshots.changed, service.bodies]).toEqual([[], 21]);
    expect(snapshots.watch.snapshot()).toBe(first);
    await snapshots.close();
  });
});

describe('a whole snapshot that takes Flipt v1 long comes from a database, whose tags are right', () => {
  it('so that it is fetched once in 600 times its duration', async () => {
    const clock = manualClock();
    const service = lying(clock, ofV1);
    service.bodyMs = 1_000;
    const snapshots = await watchingVersions(service.send, clock);
    await clock.advance(8 * MINUTE);
    expect(service.bodies).toBe(1);
    service.isDown = true;
    await clock.advance(MINUTE);
    service.isDown = false;
    await clock.advance(MINUTE - 10_000);
    expect(service.bodies).toBe(1);
    await clock.advance(2 * MINUTE);
    expect(service.bodies).toBe(2);
    await snapshots.close();
  });

  it('and `invalidate()` fetches it', async () => {
    const clock = manualClock();
    const service = lying(clock, ofV1);
    service.bodyMs = 1_000;
    const snapshots = await watchingVersions(service.send, clock);
    await clock.advance(MINUTE);
    void snapshots.watch.poll('user');
    await clock.advance(1_000);
    expect(service.bodies).toBe(2);
    await snapshots.close();
  });
});

it('a Flipt 2.8 that needs long for each poll is polled at 20 times that time', async () => {
  const clock = manualClock();
  const service = lying(clock);
  service.bodyMs = 2_500;
  const snapshots = await watchingVersions(service.send, clock);
  await clock.advance(10 * MINUTE);
  expect(service.bodies).toBeLessThanOrEqual(14);
  expect(snapshots.watch.seenWithinMs()).toBe(60_000);
  service.set(false);
  await clock.advance(60_000 + service.bodyMs);
  expect(isOn(snapshots)).toBe(false);
  await snapshots.close();
});

it.each([
  [
    'after answers that contradict',
    ({ doubt }: Watching) => {
      doubt();
    },
  ],
  ['after `invalidate()`', ({ watch }: Watching) => void watch.poll('user')],
  ['after `invalidate()` without keys', ({ watch }: Watching) => void watch.poll('reset')],
])(
  'a Flipt that can answer only polls with a tag gets a whole request only now and then %s',
  async (_when, begin) => {
    const clock = manualClock();
    const service = lying(clock, v2('v2.11.0'));
    const send: typeof service.send = async (request) => {
      const isWhole = request.path !== '/meta/info' && !('if-none-match' in (request.headers ?? {}));
      if (!isWhole || service.bodies === 0) return service.send(request);
      service.named.push(undefined);
      await new Promise<void>((resolve) => clock.after(3_000, resolve));
      return refusedConnection;
    };
    const snapshots = await watchingVersions(send, clock);
    await clock.advance(1);
    begin(snapshots);
    await clock.advance(20 * MINUTE);
    const whole = service.named.filter((tag) => tag === undefined).length;
    expect(whole).toBeGreaterThan(2);
    expect(whole).toBeLessThan(22);
    expect(snapshots.watch.ageMs()).toBeLessThan(3 * SEEN_WITHIN_MS);
    await snapshots.close();
  },
);
