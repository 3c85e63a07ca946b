import { describe, expect, it, vi } from 'vitest';
import type { TrackingEvent, TrackingOptions } from '../../../src/options/tracking-options.js';
import { lineOf, tracked } from './tracked.fixture.js';

const HOUR = 3_600_000;
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string;
const ADA = {
  targetingKey: 'ada',
  plan: 'pro',
  email: 'ada@example.org',
  since: new Date(0),
  seats: 3,
  none: undefined,
};

async function linesOf(made: ReturnType<typeof tracked>) {
  await made.tracking.flush();
  return made.received.flat().map(lineOf);
}

describe('an event', () => {
  it('of an exposure holds this and nothing else', async () => {
    const { tracking, received } = tracked();
    const details = {
      value: { secret: 1 },
      variant: 'on',
      reason: 'SPLIT',
      flagMetadata: { segmentKeys: 'staff' },
    };
    tracking.exposed('flag', details, ADA, 'object');
    await tracking.flush();
    expect(received).toEqual([
      [
        {
          kind: 'exposure',
          id: UUID,
          time: '2024-01-01T00:00:00.000Z',
          attributes: {},
          targetingKey: 'ada',
          flagKey: 'flag',
          variant: 'on',
          valueType: 'object',
          reason: 'SPLIT',
          namespace: 'default',
        },
      ],
    ]);
  });

  it('holds the attributes that are named, as JSON has them, and the version of a snapshot', async () => {
    const { tracking, received } = tracked({ attributes: ['plan', 'since', 'seats', 'none', 'absent'] });
    const details = { variant: 'on', reason: 'SPLIT', flagMetadata: { version: 'abc' } };
    tracking.exposed('flag', details, ADA, 'string');
    await tracking.flush();
    expect(received[0]?.[0]).toMatchObject({
      attributes: { plan: 'pro', since: '1970-01-01T00:00:00.000Z', seats: 3 },
      version: 'abc',
    });
    expect(Object.keys(received[0]?.[0]?.attributes ?? {})).toEqual(['plan', 'since', 'seats']);
  });

  it('of track holds the details as they were at the call', async () => {
    const { tracking, received } = tracked({ user: (targetingKey) => `hash of ${targetingKey}` });
    const details = { value: 12.5, currency: 'EUR', items: [{ sku: 'a' }] };
    tracking.track('bought', ADA, details);
    details.items[0] = { sku: 'b' };
    tracking.track('seen', {}, {});
    await tracking.flush();
    const base = { kind: 'track', id: UUID, time: '2024-01-01T00:00:00.000Z', attributes: {} };
    expect(received).toEqual([
      [
        {
          ...base,
          name: 'bought',
          targetingKey: 'hash of ada',
          details: { value: 12.5, currency: 'EUR', items: [{ sku: 'a' }] },
        },
        { ...base, name: 'seen', details: {} },
      ],
    ]);
  });

  it.each<[string, Partial<TrackingOptions>, object, string]>([
    [
      'a getter that throws',
      {},
      {
        get amount() {
          throw new Error('no amount');
        },
      },
      'no amount',
    ],
    ['details in a list', {}, [1], 'track: expected details in an object, got a list'],
    [
      'a user that is no text',
      // Its rejection must not end the process, and would fail this test.
      { user: () => Promise.reject(new Error('no key')) as never },
      {},
      'tracking.user: expected a string, got a promise',
    ],
  ])('with %s is lost: it is counted, one line says why, and nothing throws', (_, options, details, why) => {
    const { tracking, reported, warn } = tracked(options);
    tracking.track('bought', ADA, details);
    tracking.track('bought', ADA, details);
    expect(reported.lost).toBe(2);
    expect(warn.mock.calls.flat()).toEqual([`tracking: events are lost, because ${why}`]);
  });
});

it('writes a bigint in digits, as evaluation does', async () => {
  const { tracking, received } = tracked({ attributes: ['seats'] });
  const context = { targetingKey: 'ada', seats: 5n };
  tracking.exposed('flag', { variant: 'on' }, context, 'string');
  tracking.track('bought', context, { amounts: [12n] });
  await tracking.flush();
  expect(received.flat()).toMatchObject([
    { attributes: { seats: '5' } },
    { attributes: { seats: '5' }, details: { amounts: ['12'] } },
  ]);
});

it('takes no attribute that the context only inherits', async () => {
  const { tracking, received } = tracked({ attributes: ['__proto__', 'plan'] });
  tracking.track('bought', ADA, {});
  await tracking.flush();
  expect(Object.keys(received[0]?.[0]?.attributes ?? {})).toEqual(['plan']);
});

it('loses a track without a name, and says so', () => {
  const { tracking, reported, warn } = tracked();
  tracking.track(undefined, ADA, {});
  expect(reported.lost).toBe(1);
  expect(warn.mock.calls.flat()).toEqual([
    'tracking: events are lost, because track: expected a name, got undefined',
  ]);
});

it('warns once of a track that is of no user', async () => {
  const made = tracked();
  made.tracking.track('bought', ADA, {});
  expect(made.warn).not.toHaveBeenCalled();
  made.tracking.track('bought', {}, {});
  made.tracking.track('seen', {}, {});
  expect(await linesOf(made)).toEqual(['ada bought', 'nobody bought', 'nobody seen']);
  expect(made.warn.mock.calls.flat()).toEqual([
    'track("bought"): the event is of no user, because its context has no targetingKey (warned only once): ' +
      'pass the context to client.track, in Nest contextFactory()',
  ]);
});

describe('an exposure', () => {
  it('is sent once an hour for the same user, flag and variant; a change of one of them is sent at once', async () => {
    const made = tracked();
    made.expose('ada');
    made.expose('ada');
    made.expose('ada', 'flag', 'off');
    made.expose('ada', 'other');
    made.expose('grace');
    made.expose('ada');
    await made.clock.advance(HOUR - 1);
    made.expose('ada');
    await made.clock.advance(1);
    made.expose('ada');
    expect(await linesOf(made)).toEqual([
      'ada flag on',
      'ada flag off',
      'ada other on',
      'grace flag on',
      'ada flag on',
    ]);
  });

  it('is remembered for the last 10,000; the least recently used may come twice', async () => {
    const made = tracked({ onceForMs: 10 * HOUR });
    for (let n = 0; n < 10_000; n++) {
      made.expose(`user-${n}`);
      if (n % 100 === 99) await made.clock.settle();
    }
    made.expose('user-0');
    made.expose('one more');
    made.expose('user-0');
    made.expose('user-1');
    expect((await linesOf(made)).slice(10_000)).toEqual(['one more flag on', 'user-1 flag on']);
  });

  it('is remembered within 4 MB, however long the keys of the users are', async () => {
    const made = tracked();
    const long = 'x'.repeat(8_000);
    for (let n = 0; n < 1_000; n++) {
      made.expose(`${n}${long}`);
      if (n % 100 === 99) await made.clock.settle();
    }
    made.expose(`0${long}`);
    made.expose(`999${long}`);
    expect(await linesOf(made)).toHaveLength(1_001);
  });

  it.each<[string, TrackingOptions['flags'], readonly string[]]>([
    ['a list', ['a'], ['a']],
    ['a function', (flagKey) => flagKey !== 'a', ['b', 'c']],
    ['a function that returns something else', (() => 'yes') as never, []],
  ])('is sent for flags that %s chooses', async (_, flags, expected) => {
    const made = tracked({ flags });
    for (const flag of ['a', 'b', 'c']) made.expose('ada', flag);
    expect(await linesOf(made)).toEqual(expected.map((flag) => `ada ${flag} on`));
  });

  it('is not sent where the choice throws: one line says so, and nothing throws', async () => {
    const made = tracked({
      flags: () => {
        throw new Error('no list\nyet');
      },
    });
    made.expose('ada');
    made.expose('ada', 'other');
    expect(await linesOf(made)).toEqual([]);
    expect(made.warn.mock.calls.flat()).toEqual(['tracking.flags failed (warned only once): no list yet']);
  });

  it('is sent as soon as the choice works, or is another one', async () => {
    const isRunning = vi.fn<() => boolean>().mockReturnValue(true);
    isRunning.mockImplementationOnce(() => {
      throw new Error('no list yet');
    });
    isRunning.mockReturnValueOnce(false);
    const made = tracked({ flags: isRunning });
    for (let n = 0; n < 4; n++) made.expose('ada');
    expect(isRunning).toHaveBeenCalledTimes(4);
    expect(await linesOf(made)).toEqual(['ada flag on']);
  });

  it('needs a user', async () => {
    const made = tracked();
    made.expose('');
    expect(await linesOf(made)).toEqual([]);
  });
});

describe('an exposure that was lost is made again by the next evaluation', () => {
  it('after tracking.user has thrown once', async () => {
    let calls = 0;
    const { expose, close, received } = tracked({
      user: (targetingKey) => {
        if (calls++ === 0) throw new Error('not yet');
        return targetingKey;
      },
    });
    expose('ada');
    expose('ada');
    await close();
    expect(received.flat().map(lineOf)).toEqual(['ada flag on']);
  });

  it('after it was dropped from a full queue', async () => {
    let isDown = true;
    const received: TrackingEvent[] = [];
    const { expose, tracking, clock } = tracked({
      send: (events) => (isDown ? Promise.reject(new Error('no')) : received.push(...events)),
    });
    for (let n = 0; n <= 1_000; n++) expose(`user-${n}`);
    await clock.settle();
    isDown = false;
    await tracking.flush();
    expose('user-0');
    await tracking.flush();
    expect(received.filter(({ targetingKey }) => targetingKey === 'user-0')).toHaveLength(1);
  });
});
