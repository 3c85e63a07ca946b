import { describe, expect, it } from 'vitest';
import type { TrackingEvent } from '../../../src/options/tracking-options.js';
import { lineOf, tracked } from './tracked.fixture.js';

const never = new Promise<never>(() => undefined);

describe('events are sent', () => {
  it('5 s after the first of them, in order', async () => {
    const { tracking, expose, clock, received } = tracked();
    expose('ada');
    tracking.track('bought', { targetingKey: 'ada' }, { value: 3 });
    await clock.advance(4_999);
    expect(received).toEqual([]);
    await clock.advance(1);
    expect(received.map((events) => events.map(lineOf))).toEqual([['ada flag on', 'ada bought']]);
    expect(clock.timers()).toBe(0);
  });

  it('at once when there are 100, and never within the resolve that brings the last one', async () => {
    const { expose, clock, received } = tracked();
    for (let n = 0; n < 100; n++) expose(`user-${n}`);
    expect(received).toEqual([]);
    await clock.settle();
    expect(received.map(({ length }) => length)).toEqual([100]);
  });

  it('one call at a time', async () => {
    let underWay = 0;
    const most: number[] = [];
    const { expose, clock } = tracked({
      send: async () => {
        most.push(++underWay);
        await new Promise<void>((resolve) => {
          clock.after(1_000, resolve);
        });
        underWay--;
      },
    });
    for (let n = 0; n < 250; n++) expose(`user-${n}`);
    await clock.advance(20_000);
    expect(most).toEqual([1, 1, 1]);
  });

  it('with timers that do not keep the process alive', () => {
    const { expose, clock } = tracked();
    expose('ada');
    expect([clock.timers('background'), clock.timers('awaited')]).toEqual([1, 0]);
  });
});

describe('a sink that fails', () => {
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('disk full\nand more');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full\nand more'))],
  ])(
    '%s: the same events come again after growing delays, with their ids, and one line says so',
    async (_, fail) => {
      const calls: { readonly at: number; readonly ids: readonly string[] }[] = [];
      let isBroken = true;
      const { tracking, expose, clock, reported, warn } = tracked({
        send: (events) => {
          calls.push({ at: clock.now(), ids: events.map(({ id }) => id) });
          return isBroken ? fail() : undefined;
        },
      });
      expose('ada');
      await clock.advance(5_000 + 1_000 + 2_000 + 4_000);
      expect(calls.map(({ at }) => at)).toEqual([5_000, 6_000, 8_000, 12_000]);
      expect(new Set(calls.flatMap(({ ids }) => ids)).size).toBe(1);
      expect(tracking.read()).toEqual({ waiting: 1, isFailing: true });
      isBroken = false;
      await clock.advance(60_000);
      expect(warn.mock.calls.flat()).toEqual([
        'tracking.send failed; its events are sent again: disk full and more',
        'tracking.send works again',
      ]);
      expect([reported, tracking.read()]).toEqual([
        { sent: 1, lost: 0 },
        { waiting: 0, isFailing: false },
      ]);
    },
  );

  it('hangs: the call is given up after 10 s, and repeated', async () => {
    const calls: number[] = [];
    const { expose, clock, warn } = tracked({ send: () => (calls.push(clock.now()), never) });
    expose('ada');
    await clock.advance(5_000 + 10_000 + 1_000);
    expect(calls).toEqual([5_000, 16_000]);
    expect(warn.mock.calls[0]).toEqual([
      'tracking.send failed; its events are sent again: no result within 10000 ms',
    ]);
  });

  it('is down for an hour: at most 1,000 events wait, the oldest exposures are lost first, and each is counted', async () => {
    let isBroken = true;
    const received: TrackingEvent[] = [];
    const { tracking, expose, clock, reported, warn } = tracked({
      send: (events) => {
        if (isBroken) throw new Error('down');
        received.push(...events);
      },
    });
    for (let minute = 0; minute < 60; minute++) {
      for (let n = 0; n < 50; n++) expose(`user-${minute}-${n}`);
      tracking.track(`minute-${minute}`, { targetingKey: 'ada' }, {});
      await clock.advance(60_000);
      expect(tracking.read().waiting).toBeLessThanOrEqual(1_000);
    }
    isBroken = false;
    await clock.advance(120_000);
    expect(reported).toEqual({ sent: 1_000, lost: 60 * 51 - 1_000 });
    const names = received.map(lineOf);
    expect(names.filter((name) => name.startsWith('ada minute-'))).toHaveLength(60);
    expect(names.filter((name) => name.startsWith('user-')).at(0)).toBe('user-41-10 flag on');
    expect(warn.mock.calls.flat().filter((line) => line.includes('lost'))).toEqual([
      'tracking: events are lost, because too many events wait to be sent',
    ]);
  });

  it('when only other events wait, the oldest of them is lost', async () => {
    const received: TrackingEvent[] = [];
    const { tracking, close, reported } = tracked({ send: (events) => received.push(...events) });
    for (let n = 0; n < 1_001; n++) tracking.track(`event-${n}`, {}, {});
    await close();
    expect([received.length, received[0] && lineOf(received[0]), reported.lost]).toEqual([
      1_000,
      'nobody event-1',
      1,
    ]);
  });

  it('events that wait take at most 1 MB of JSON, and one of them 64 kB', async () => {
    const { tracking, reported, warn } = tracked({ send: () => never });
    tracking.track('large', { targetingKey: 'ada' }, { text: 'x'.repeat(64 * 1024) });
    expect([reported.lost, tracking.read().waiting]).toEqual([1, 0]);
    expect(warn.mock.calls.flat()).toEqual([
      'tracking: events are lost, because an event has more than 65536 characters',
    ]);
    for (let n = 0; n < 30; n++)
      tracking.track('long', { targetingKey: 'ada' }, { text: 'x'.repeat(60_000) });
    expect(tracking.read().waiting).toBe(17);
    expect(reported.lost).toBe(1 + 13);
  });
});

describe('flush and close', () => {
  it('send what waits at once', async () => {
    const { tracking, expose, close, clock, received } = tracked();
    expose('ada');
    await tracking.flush();
    expose('grace');
    await close();
    expect(received.map((events) => events.map(lineOf))).toEqual([['ada flag on'], ['grace flag on']]);
    expect(clock.timers()).toBe(0);
  });

  it('end after 2 s with a sink that hangs; what waits at the close is lost, and counted', async () => {
    const { tracking, expose, close, clock, reported, warn } = tracked({ send: () => never });
    expose('ada');
    expose('grace');
    let ended = 0;
    void tracking.flush().then(() => ended++);
    await clock.advance(1_999);
    expect(ended).toBe(0);
    await clock.advance(1);
    expect(ended).toBe(1);
    void close().then(() => ended++);
    await clock.advance(2_000);
    expect([ended, reported.lost]).toEqual([2, 2]);
    await clock.advance(60_000);
    expect(warn.mock.calls.flat()).toEqual(['tracking: events are lost, because the provider was closed']);
    expect([reported.lost, clock.timers()]).toEqual([2, 0]);
  });
});

it('what a receiver does to its events is not in the repetition', async () => {
  const seen: string[] = [];
  const { tracking, clock } = tracked({
    send: (events) => {
      seen.push(JSON.stringify(events));
      for (const event of events) Object.assign(event, { name: 'changed', details: {} });
      throw new Error('down');
    },
  });
  tracking.track('bought', { targetingKey: 'ada' }, { value: 3 });
  await clock.advance(6_000);
  expect(seen).toHaveLength(2);
  expect(seen[1]).toBe(seen[0]);
});
