import { describe, expect, it, vi } from 'vitest';
import { offered, pressed, share, steadily, STEP_MS, type Asked, type Offer } from './pressure.fixture.js';
import type { Item } from '../servers/scripted.fixture.js';

// Tens of thousands of questions: many seconds on a machine that is busy with something else.
vi.setConfig({ testTimeout: 60_000 });

/* Whole providers with default options, on the injected clock, in fixed sequences. */

const STATUSES = [400, 500, 503, 'reset', 'silence'] as const;
type Status = (typeof STATUSES)[number];

const isAbout = (prefix: string) => (items: readonly Item[]) =>
  items.some(({ flagKey, entityId }) => flagKey.startsWith(prefix) || entityId.startsWith(prefix));
const without = (prefix: string, asked: readonly Asked[]) =>
  asked.filter(({ flag, entity }) => !flag.startsWith(prefix) && !entity.startsWith(prefix));

/** The share of answers to all questions but those that `spoil`, and the provider's events. */
async function played(latencyMs: number, status: Status, seconds: number, offers: readonly Offer[]) {
  const isSpoilt = isAbout('spoil');
  const { clock, ask, asked, events, log, service } = await pressed({
    latencyMs,
    status: (items) => (isSpoilt(items) ? status : 200),
  });
  await offered(clock, seconds * 1_000, ask, (ms) => offers.flatMap((offer) => offer(ms)));
  return { answered: share(without('spoil', asked)), events, log, mostAtOnce: service.mostAtOnce() };
}

/** So many pages a second, each of another user, with these flags. */
function pages(perSecond: number, flags: readonly string[]): Offer {
  let page = 0;
  return (ms) => {
    if (ms % (1_000 / perSecond) >= STEP_MS) return [];
    page++;
    return flags.map((flag) => [flag, `user-${page}`] as const);
  };
}

/** One user, who asks so many questions a second. */
function oneUser(perSecond: number, flags: number): Offer {
  const offer = steadily(perSecond, 'spoiling', flags);
  return (ms) => offer(ms).map(([flag]) => [flag, 'spoiling'] as const);
}

describe.each([10, 100])('at %s ms a request', (latencyMs) => {
  it.each([400, 500] as const)(
    'a page of 50 flags, one of which is broken with %s, costs the others nothing',
    async (status) => {
      const flags = Array.from({ length: 50 }, (_, at) => (at === 23 ? 'spoils' : `flag-${at}`));
      const { answered, events, log } = await played(latencyMs, status, 4, [pages(10, flags)]);
      expect([answered, events, log]).toEqual([1, [], []]);
    },
  );

  it.each([
    [400, 40],
    [500, 40],
    [400, 1],
    [500, 1],
  ] as const)(
    'one user who spoils batches with %s costs 300 others a second nothing (%s flags)',
    async (status, flags) => {
      const offers = [steadily(300, 'other', flags), oneUser(5, flags)];
      const { answered, events, log } = await played(latencyMs, status, 4, offers);
      expect([answered, events, log]).toEqual([1, [], []]);
    },
  );

  it.each(STATUSES)(
    '5 users a second who spoil batches (%s) cost 300 others 5 percent at most',
    async (status) => {
      const offers = [steadily(300, 'other'), steadily(5, 'spoiling')];
      const { answered, events, mostAtOnce } = await played(latencyMs, status, 6, offers);
      expect(answered).toBeGreaterThanOrEqual(status === 'silence' ? 0.95 : 0.97);
      expect(events).toEqual([]);
      // 8 of batches, 16 extra ones, and a check. Here, a silent request never ends.
      if (status !== 'silence') expect(mostAtOnce).toBeLessThanOrEqual(25);
    },
  );
});

it('a page of 50 flags, one of which never gets an answer, costs the others nothing after two seconds', async () => {
  const { clock, ask, asked } = await pressed({
    latencyMs: 10,
    status: (items) => (isAbout('spoil')(items) ? 'silence' : 200),
  });
  const flags = Array.from({ length: 50 }, (_, at) => (at === 23 ? 'spoils' : `flag-${at}`));
  await offered(clock, 6_000, ask, pages(10, flags));
  expect(share(without('spoil', asked).filter(({ second }) => second >= 2))).toBe(1);
});

it.each([400, 503, 'reset'] as const)(
  '20 users a second who spoil batches (%s) cost 300 others a tenth at most at 100 ms a request',
  async (status) => {
    const offers = [steadily(300, 'other'), steadily(20, 'spoiling')];
    const { answered } = await played(100, status, 5, offers);
    expect(answered).toBeGreaterThanOrEqual(0.9);
  },
);

it.each([400, 500, 503, 'reset'] as const)(
  '100 users a second who spoil batches (%s) cost 300 others a fifth at most',
  async (status) => {
    const offers = [steadily(300, 'other'), steadily(100, 'spoiling')];
    const { answered, events } = await played(10, status, 4, offers);
    expect(answered).toBeGreaterThanOrEqual(0.8);
    expect(events).toEqual([]);
  },
);

it.each([
  [20, 100],
  [10, 150],
])(
  '%s pages a second with a broken flag cost the others nothing at %s ms a request',
  async (perSecond, latencyMs) => {
    const flags = Array.from({ length: 50 }, (_, at) => (at === 23 ? 'spoils' : `flag-${at}`));
    const { answered, events } = await played(latencyMs, 500, 4, [pages(perSecond, flags)]);
    expect([answered, events]).toEqual([1, []]);
  },
);

it.each([150, 250])(
  'a page with a broken flag costs nothing after two seconds, though that takes longer than any caller waits (%s ms)',
  async (latencyMs) => {
    const { clock, ask, asked } = await pressed({
      latencyMs,
      status: (items) => (isAbout('spoil')(items) ? 500 : 200),
    });
    const flags = Array.from({ length: 50 }, (_, at) => (at === 23 ? 'spoils' : `flag-${at}`));
    await offered(clock, 6_000, ask, pages(10, flags));
    const later = without('spoil', asked).filter(({ second }) => second >= 2);
    expect(share(later)).toBe(1);
  },
);

it('three broken flags of 40 cost the others 1 % at most of 800 questions a second', async () => {
  const offer = steadily(800);
  const broken: Offer = (ms) =>
    offer(ms).map(([flag, user]) => [/^flag-[012]$/.test(flag) ? `spoils-${flag}` : flag, user]);
  const { answered, events, log } = await played(100, 500, 35, [broken]);
  expect(answered).toBeGreaterThanOrEqual(0.99);
  expect([events, log]).toEqual([[], []]);
});

it.each([...STATUSES.map((status) => [status, 10, 300] as const), [500, 100, 800] as const])(
  'a Flipt that fails half of its requests (%s) gets at most twice as many, at %s ms a request, with %s questions a second',
  async (status, latencyMs, perSecond) => {
    const requestsTo = async (fails: () => boolean) => {
      const script = { latencyMs, status: () => (fails() ? status : 200) };
      const { clock, ask, service } = await pressed(script, { breaker: false });
      await offered(clock, 5_000, ask, steadily(perSecond));
      return service.requests.length;
    };
    let drawn = 1;
    const isDrawn = () => (drawn = (drawn * 48_271) % 2_147_483_647) % 2 === 0;
    const well = await requestsTo(() => false);
    expect(await requestsTo(isDrawn)).toBeLessThanOrEqual(2 * well);
  },
);
