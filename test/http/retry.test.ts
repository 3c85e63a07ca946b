import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/model/failure.js';
import type { Reply, Send } from '../../src/http/reply.js';
import { retryAfterMs, withRetries, type RetrySettings } from '../../src/http/retry.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { failedWith, replied, REQUEST, sending } from './outcomes.fixture.js';

const OK = replied(200);

function setUp(outcomes: readonly (Reply | Failure)[], more: Partial<RetrySettings> = {}) {
  const clock = manualClock();
  const { send, sent } = sending(...outcomes);
  const settings = { retries: 2, withinMs: 1_000, ...more };
  return { clock, sent, send: withRetries(send, settings, runtimeOf(clock)) };
}

/** One retry, and an outcome that the test changes. */
function scripted() {
  const clock = manualClock();
  const sent: unknown[] = [];
  const outcomes: { now: Reply } = { now: OK };
  const once: Send = (request) => {
    sent.push(request);
    return Promise.resolve(outcomes.now);
  };
  return {
    clock,
    sent,
    outcomes,
    send: withRetries(once, { retries: 1, withinMs: 1_000 }, runtimeOf(clock)),
  };
}

describe('a request is sent again', () => {
  it.each<[string, Reply | Failure]>([
    ['after a failure of the connection', failedWith('connection')],
    ...[408, 429, 502, 503, 504].map((status): [string, Reply] => [`after a ${status}`, replied(status)]),
  ])('%s', async (_, outcome) => {
    const { clock, sent, send } = setUp([outcome, OK]);
    const ended = send(REQUEST);
    await clock.advance(24.9);
    expect(sent).toHaveLength(1);
    await clock.advance(0.1);
    expect(await ended).toBe(OK);
    expect(sent).toEqual([REQUEST, REQUEST]);
  });

  it('at once and without a token for the first stale connection, and for others as after any failure', async () => {
    const { clock, sent, send } = setUp([failedWith('stale-connection')], { retries: 0 });
    const ended = send(REQUEST);
    await clock.advance(0);
    expect(sent).toHaveLength(2);
    expect(await ended).toEqual(failedWith('stale-connection'));
  });

  it('as often as is allowed, after longer and longer delays', async () => {
    const { clock, sent, send } = setUp([replied(503)]);
    const ended = send(REQUEST);
    await clock.advance(25 + 49.9);
    expect(sent).toHaveLength(2);
    await clock.advance(0.1);
    expect(await ended).toEqual(replied(503));
    expect(sent).toHaveLength(3);
    expect(clock.timers()).toBe(0);
  });

  it.each([
    ['2', 2_000],
    ['Mon, 01 Jan 2024 00:00:02 GMT', 2_000],
  ])('when the service says: Retry-After: %s', async (header, ms) => {
    const { clock, sent, send } = setUp([replied(429, '', { 'retry-after': header }), OK], {
      withinMs: 5_000,
    });
    const ended = send(REQUEST);
    await clock.advance(ms - 1);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    expect(await ended).toBe(OK);
  });
});

describe('a request is not sent again', () => {
  it.each<[string, Reply | Failure]>([
    ...[200, 301, 400, 401, 403, 404, 500, 501].map((status): [string, Reply] => [
      `after a ${status}`,
      replied(status),
    ]),
    ...(['timeout', 'closed', 'circuit-open', 'credentials', 'unreadable'] as const).map(
      (kind): [string, Failure] => [`after a failure: ${kind}`, failedWith(kind)],
    ),
  ])('%s', async (_, outcome) => {
    const { sent, send } = setUp([outcome]);
    expect(await send(REQUEST)).toBe(outcome);
    expect(sent).toHaveLength(1);
  });

  it('if it may not be repeated', async () => {
    const { sent, send } = setUp([replied(503)]);
    await send({ ...REQUEST, repeatable: false });
    expect(sent).toHaveLength(1);
  });

  it('if no retries are wanted', async () => {
    const { sent, send } = setUp([replied(503)], { retries: 0 });
    await send(REQUEST);
    expect(sent).toHaveLength(1);
  });

  it('past the time that its callers have', async () => {
    const { sent, send } = setUp([replied(429, '', { 'retry-after': '1' })], { withinMs: 1_000 });
    expect(await send(REQUEST)).toMatchObject({ status: 429 });
    expect(sent).toHaveLength(1);
  });

  it('after the caller has given up, neither during the wait nor later', async () => {
    const { clock, sent, send } = setUp([replied(503)]);
    const giveUp = new AbortController();
    const ended = send({ ...REQUEST, signal: giveUp.signal });
    await clock.settle();
    giveUp.abort();
    expect(await ended).toMatchObject({ kind: 'closed' });
    expect(await send({ ...REQUEST, signal: giveUp.signal })).toMatchObject({ kind: 'closed' });
    await clock.advance(1_000);
    expect(sent).toHaveLength(2);
    expect(clock.timers()).toBe(0);
  });

  it('beyond ten times in an outage, and then once for every ten answers', async () => {
    const { clock, sent, outcomes, send } = scripted();
    const retriesOf = async (requests: number) => {
      const before = sent.length;
      for (let request = 0; request < requests; request++) {
        void send(REQUEST);
        await clock.advance(25);
      }
      return sent.length - before - requests;
    };
    outcomes.now = replied(503);
    expect(await retriesOf(40)).toBe(10);
    outcomes.now = OK;
    expect(await retriesOf(29)).toBe(0);
    outcomes.now = replied(503);
    expect(await retriesOf(40)).toBe(2);
    outcomes.now = replied(404);
    expect(await retriesOf(1_000)).toBe(0);
    outcomes.now = replied(503);
    expect(await retriesOf(40)).toBe(10);
  });

  it('more than once in ten, where half of the requests fail', async () => {
    const outcomes = Array.from({ length: 2_000 }, (_, at) => (at % 2 === 0 ? replied(503) : OK));
    const { clock, sent, send } = setUp(outcomes);
    for (let request = 0; request < 500; request++) {
      void send(REQUEST);
      await clock.advance(100);
    }
    expect(sent.length / 500).toBeLessThan(1.12);
  });
});

describe('Retry-After', () => {
  const DATE = Date.UTC(2024, 0, 1);
  it.each<[string | string[] | undefined, number | undefined]>([
    ['0', 0],
    ['120', 120_000],
    ['301', 300_000],
    ['Tue, 02 Jan 2024 00:00:00 GMT', 300_000],
    ['Mon, 01 Jan 2024 00:01:00 GMT', 60_000],
    ['Mon, 01 Jan 2024 00:00:00 GMT', 0],
    ['Sun, 31 Dec 2023 00:00:00 GMT', 0],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['Monday, soon', undefined],
    ['1e9', undefined],
    ['99999999999', undefined],
    [['1', '2'], undefined],
    [undefined, undefined],
  ])('%j is %s ms', (header, ms) => {
    expect(retryAfterMs(replied(503, '', { 'retry-after': header }), DATE)).toBe(ms);
  });

  it('is undefined for a failure', () => {
    expect(retryAfterMs(failedWith('connection'), DATE)).toBeUndefined();
  });
});
