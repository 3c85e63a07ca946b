import { OpenFeatureEventEmitter, ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it } from 'vitest';
import { endStreams, EventStreams } from '../../../../src/adapters/ofrep/push.js';
import { manualClock } from '../../../clock.fixture.js';

const EVENT = /^id: \S+\ndata: \{"type":"refetchEvaluation"\}\n\n$/;
const SEEN_WITHIN_MS = 18_000;

/** The streams of a handler, and a provider that says when flags change. */
function opened(maxStreams = 5000) {
  const clock = manualClock();
  let chance = 0;
  const random = () => (chance = (chance + 0.377) % 1);
  const streams = new EventStreams({ maxStreams }, (flag) => flag !== 'secret', clock, random);
  const provider = {
    events: new OpenFeatureEventEmitter(),
    onEvent: () => () => undefined,
    getStatus: () => ({ condition: 'ready', watch: { seenWithinMs: SEEN_WITHIN_MS } }) as never,
  };
  const change = (...flagsChanged: string[]) => {
    provider.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged });
  };
  const open = (user = 'ada', of: object = provider) => {
    const { body } = streams.open(of, user);
    if (body === null) throw new Error('no body');
    return body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  };
  return { clock, provider, change, open };
}

type Opened = ReturnType<typeof opened>;

/** Reads a stream as fast as it writes. */
function read({ open }: Opened, user?: string, of?: object) {
  const reader = open(user, of);
  const chunks: string[] = [];
  let end: 'closed' | 'dropped' | undefined;
  const decoder = new TextDecoder();
  const next = async (): Promise<void> => {
    const { done, value } = await reader.read();
    if (done) {
      end = 'closed';
      return;
    }
    chunks.push(decoder.decode(value));
    await next();
  };
  next().catch(() => (end = 'dropped'));
  const events = () => chunks.filter((chunk) => chunk.includes('refetchEvaluation')).length;
  return { chunks, events, end: () => end, leave: () => reader.cancel() };
}

const isRefused = ({ chunks }: ReturnType<typeof read>) => chunks[0]?.startsWith('retry: 20000\n');

describe('a stream', () => {
  it('begins with an event, and with the time after which the browser comes back', async () => {
    const all = opened();
    const { chunks } = read(all);
    await all.clock.settle();
    expect(chunks).toEqual([
      expect.stringMatching(/^retry: [123]\d{3}\n\nid: \S+\ndata: \{"type":"refetchEvaluation"\}\n\n$/),
    ]);
  });

  it('gets one event for changes that come together, with nothing but its type in it', async () => {
    const all = opened();
    const { chunks } = read(all);
    for (let change = 0; change < 1000; change++) all.change('on');
    await all.clock.advance(100);
    expect(chunks.slice(1)).toEqual([expect.stringMatching(EVENT)]);
  });

  it('gets no event for a flag that browsers must not see', async () => {
    const all = opened();
    const { events } = read(all);
    all.change('secret');
    await all.clock.advance(100);
    expect(events()).toBe(1);
  });

  it('gets an event once more when all instances know of the change', async () => {
    const all = opened();
    const { events } = read(all);
    all.change('on');
    await all.clock.advance(SEEN_WITHIN_MS - 1);
    expect(events()).toBe(2);
    await all.clock.advance(100);
    expect(events()).toBe(3);
    await all.clock.advance(60_000);
    expect(events()).toBe(3);
  });

  it('gets an event after an outage, in which flags may have had no answer', async () => {
    const all = opened();
    const { events } = read(all);
    all.provider.events.emit(ProviderEvents.Ready);
    await all.clock.advance(100);
    expect(events()).toBe(2);
  });

  it('has a heartbeat before anything on the way takes it for dead', async () => {
    const all = opened();
    const { chunks } = read(all);
    await all.clock.advance(60_000);
    expect(chunks.slice(1)).toEqual(Array(7).fill(':\n\n'));
  });

  it('fails at its end if its browser reads no more, so that the connection ends, too', async () => {
    const all = opened();
    const reader = all.open();
    endStreams(all.provider);
    await expect(reader.read()).rejects.toThrow('does not read');
  });

  it('leaves nothing behind when it is ended, or its browser leaves', async () => {
    const all = opened();
    const readings = [read(all), read(all)];
    all.change('on');
    await readings[0]?.leave();
    endStreams(all.provider);
    await all.clock.settle();
    expect(readings[1]?.end()).toBe('closed');
    await all.clock.advance(SEEN_WITHIN_MS);
    expect(all.clock.timers()).toBe(0);
  });
});

describe('many streams', () => {
  const crowd = (all: Opened, size: number) =>
    Array.from({ length: size }, (_, at) => read(all, `user-${at}`));

  it.each([
    [100, 100],
    [6000, 5000],
  ])('of %d users get an event within %d ms, spread evenly', async (size, ms) => {
    const all = opened(size);
    const readings = crowd(all, size);
    await all.clock.settle();
    const informed = () => readings.filter(({ events }) => events() > 1).length;
    all.change('on');
    await all.clock.advance(ms / 2);
    expect(Math.abs(informed() - size / 2)).toBeLessThan(size / 8);
    await all.clock.advance(ms / 2 + 20);
    expect(informed()).toBe(size);
  });

  it('of another provider end once a browser is answered by the one that has taken its place', async () => {
    const all = opened();
    const before = read(all);
    const after = read(all, 'bob', { ...all.provider, events: new OpenFeatureEventEmitter() });
    await all.clock.settle();
    expect([before.end(), after.end()]).toEqual(['closed', undefined]);
  });

  it('are as many as the limits say, for the process and for each user but the anonymous', async () => {
    const all = opened(20);
    const ofAda = Array.from({ length: 9 }, () => read(all, 'ada'));
    const anonymous = Array.from({ length: 12 }, () => read(all, ''));
    const late = read(all, 'grace');
    await all.clock.settle();
    expect(ofAda.filter(isRefused)).toHaveLength(1);
    expect(anonymous.filter(isRefused)).toHaveLength(0);
    expect(isRefused(late)).toBe(true);
    await ofAda[0]?.leave();
    const next = read(all, 'ada');
    await all.clock.settle();
    expect(isRefused(next)).toBe(false);
  });

  it('get every event while ten do not read, and those ten are dropped', async () => {
    const all = opened();
    const readings = crowd(all, 90);
    const stalled = Array.from({ length: 10 }, (_, at) => all.open(`stalled-${at}`));
    for (let change = 0; change < 40; change++) {
      all.change('on');
      await all.clock.advance(200);
    }
    expect(readings.map(({ events }) => events())).toEqual(Array(90).fill(41));
    for (const reader of stalled) await expect(reader.read()).rejects.toThrow('does not read');
  });
});
