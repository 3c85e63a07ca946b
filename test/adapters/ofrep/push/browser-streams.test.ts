import { describe, expect, it } from 'vitest';
import { browserStreams } from '../../../../src/adapters/ofrep/push/browser-streams.js';
import { manualClock } from '../../../clock.fixture.js';

const LIMITS = { maxStreams: 5000, maxStreamsPerUser: 8, jitterMs: 5000 };
const EVENT = /^id: (\S+)\ndata: \{"type":"refetchEvaluation"\}\n\n$/;

function opened(limits: Partial<typeof LIMITS> = {}) {
  const clock = manualClock();
  const streams = browserStreams({ ...LIMITS, ...limits }, { clock, random: () => 0.5 });
  return { clock, streams };
}

type Opened = ReturnType<typeof opened>;

/** Reads a stream as fast as it writes. */
function read({ streams }: Opened, user = 'ada', lastEventId: string | null = null) {
  const body = streams.open(user, lastEventId);
  if (body === undefined) return undefined;
  const chunks: string[] = [];
  let end: 'closed' | 'dropped' | undefined;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const next = (): Promise<void> =>
    reader.read().then(
      ({ done, value }) => {
        if (done) {
          end = 'closed';
          return undefined;
        }
        chunks.push(decoder.decode(value));
        return next();
      },
      () => {
        end = 'dropped';
      },
    );
  void next();
  const ids = () => chunks.flatMap((chunk) => /id: (\S+)/.exec(chunk)?.[1] ?? []);
  return { chunks, ids, end: () => end, leave: () => reader.cancel() };
}

function mustRead(...args: Parameters<typeof read>) {
  const reading = read(...args);
  if (reading === undefined) throw new Error('no room');
  return reading;
}

describe('a stream', () => {
  it('begins with an event, and with the time after which the browser comes back', async () => {
    const all = opened();
    const { chunks } = mustRead(all);
    await all.clock.settle();
    expect(chunks).toEqual([
      expect.stringMatching(/^retry: \d+\n\nid: \S+\ndata: \{"type":"refetchEvaluation"\}\n\n$/),
    ]);
  });

  it('begins without an event if the browser has the newest one', async () => {
    const all = opened();
    const first = mustRead(all);
    all.streams.announce();
    await all.clock.advance(100);
    const [old = '', newest = ''] = first.ids();
    const [upToDate, behind] = [mustRead(all, 'ada', newest), mustRead(all, 'ada', old)];
    await all.clock.settle();
    expect(upToDate.ids()).toEqual([]);
    expect(behind.ids()).toEqual([newest]);
  });

  it('gets one event for changes that come together, with nothing but its type in it', async () => {
    const all = opened();
    const { chunks } = mustRead(all);
    for (let change = 0; change < 1000; change++) all.streams.announce();
    await all.clock.advance(100);
    expect(chunks.slice(1)).toEqual([expect.stringMatching(EVENT)]);
  });

  it('gets each event once more when all instances know of the change', async () => {
    const all = opened();
    const { ids } = mustRead(all);
    all.streams.announce(18_000);
    await all.clock.advance(17_999);
    expect(ids()).toHaveLength(2);
    await all.clock.advance(2_000);
    expect(ids()).toHaveLength(3);
    await all.clock.advance(60_000);
    expect(ids()).toHaveLength(3);
  });

  it('gets a bounded number of repetitions, however many changes there are', async () => {
    const all = opened();
    mustRead(all);
    for (let change = 0; change < 500; change++) {
      all.streams.announce(18_000);
      await all.clock.advance(10);
    }
    expect(all.clock.timers()).toBeLessThan(10);
    const { ids } = mustRead(all);
    await all.clock.advance(30_000);
    // The first event, and one for each sixteenth of 18 s within the 5 s of changes.
    expect(ids().length).toBeLessThan(8);
  });

  it('has a heartbeat before anything on the way takes it for dead', async () => {
    const all = opened();
    const { chunks } = mustRead(all);
    await all.clock.advance(60_000);
    expect(chunks.slice(1)).toEqual(Array(7).fill(':\n\n'));
  });

  it('ends after more than an hour, and with all others', async () => {
    const all = opened();
    const early = mustRead(all);
    await all.clock.advance(3_600_000);
    expect(early.end()).toBeUndefined();
    const late = mustRead(all);
    await all.clock.advance(3_600_000);
    expect([early.end(), late.end()]).toEqual(['closed', undefined]);
    all.streams.endAll();
    await all.clock.advance(1_000);
    expect(late.end()).toBe('closed');
    expect([all.streams.count(), all.clock.timers()]).toEqual([0, 0]);
  });

  it('fails at its end if its reader has stalled, so that the connection ends, too', async () => {
    const all = opened();
    const body = all.streams.open('ada', null);
    all.streams.endAll();
    await expect(body?.getReader().read()).rejects.toThrow('does not read');
  });

  it('that ended with all others is followed by one with an event, whatever the browser has', async () => {
    const clock = manualClock();
    let chance = 0.1;
    const all = { clock, streams: browserStreams(LIMITS, { clock, random: () => (chance += 0.01) }) };
    const first = mustRead(all);
    await clock.settle();
    all.streams.endAll();
    const second = mustRead(all, 'ada', first.ids()[0] ?? '');
    await clock.settle();
    expect(second.ids()).toHaveLength(1);
  });

  it('leaves nothing behind when its browser leaves', async () => {
    const all = opened();
    const readings = Array.from({ length: 8 }, () => mustRead(all));
    all.streams.announce();
    await Promise.all(readings.map(({ leave }) => leave()));
    expect(all.streams.count()).toBe(0);
    await all.clock.advance(2_000);
    expect(all.clock.timers()).toBe(0);
    expect(read(all)).toBeDefined();
  });
});

describe('many streams', () => {
  const crowd = (all: Opened, size: number) =>
    Array.from({ length: size }, (_, at) => mustRead(all, `user-${at}`));
  const informed = (readings: readonly ReturnType<typeof mustRead>[]) =>
    readings.filter(({ ids }) => ids().length > 1).length;

  it.each([
    [2000, 5000, 2000],
    [2000, 500, 500],
    [100, 5000, 100],
  ])('of %d users get an event over %d ms at most, and over 1 ms for each', async (size, jitterMs, ms) => {
    const all = opened({ jitterMs });
    const readings = crowd(all, size);
    all.streams.announce();
    await all.clock.advance(ms / 2);
    expect(Math.abs(informed(readings) - size / 2)).toBeLessThan(size / 8);
    await all.clock.advance(ms / 2 + 20);
    expect(informed(readings)).toBe(size);
  });

  it('get it at once without a spread', async () => {
    const all = opened({ jitterMs: 0 });
    const readings = crowd(all, 2000);
    all.streams.announce();
    await all.clock.advance(10);
    expect(informed(readings)).toBe(2000);
  });

  it('get the newest event also while changes never stop', async () => {
    const all = opened();
    const readings = crowd(all, 2000);
    for (let change = 0; change < 50; change++) {
      all.streams.announce();
      await all.clock.advance(50);
    }
    expect(informed(readings)).toBe(2000);
  });

  it('are as many as the limits say, for the process and for each user', () => {
    const all = opened({ maxStreams: 20 });
    const kept = Array.from({ length: 8 }, () => read(all, 'ada'));
    expect(kept).not.toContain(undefined);
    expect(read(all, 'ada')).toBeUndefined();
    for (let user = 0; user < 12; user++) expect(read(all, `user-${user}`)).toBeDefined();
    expect(read(all, 'grace')).toBeUndefined();
  });

  it('may all be of visitors without a targetingKey', () => {
    const all = opened({ maxStreams: 20 });
    const kept = Array.from({ length: 20 }, () => read(all, ''));
    expect(kept).not.toContain(undefined);
    expect(read(all, '')).toBeUndefined();
  });

  it('count no more when their browsers have left', async () => {
    const all = opened({ maxStreams: 3, maxStreamsPerUser: 1 });
    const ofAda = mustRead(all, 'ada');
    expect(read(all, 'ada')).toBeUndefined();
    await ofAda.leave();
    expect(read(all, 'ada')).toBeDefined();
  });

  it('get every event while ten do not read, and those ten are dropped when their buffers are full', async () => {
    const all = opened();
    const readings = crowd(all, 190);
    const stalled = Array.from({ length: 10 }, (_, at) => all.streams.open(`stalled-${at}`, null));
    for (let change = 0; change < 100; change++) {
      all.streams.announce();
      await all.clock.advance(250);
    }
    expect(readings.map(({ ids }) => ids().length)).toEqual(Array(190).fill(101));
    expect(all.streams.count()).toBe(190);
    for (const body of stalled) await expect(body?.getReader().read()).rejects.toThrow('does not read');
    // One timer for heartbeats: nothing else is kept of 100 changes.
    expect(all.clock.timers()).toBe(1);
  });
});
