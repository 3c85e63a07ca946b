import { describe, expect, it } from 'vitest';
import { timeoutFailure } from '../../../src/http/failures.js';
import type { Reply, Send } from '../../../src/http/reply.js';
import type { Failure } from '../../../src/model/failure.js';
import { manualClock } from '../../clock.fixture.js';
import { bodyJson, refusedConnection, reply } from '../fetched.fixture.js';
import { PATIENCE_MS, POLL_MS, watching } from './watched.fixture.js';

const A = reply(200, bodyJson({ a: true }), { etag: 'one' });
const B = reply(200, bodyJson({ a: false }), { etag: 'two' });
const UNCHANGED = reply(304);
/** What a whole body takes: four attempts of an evaluation take longer than three of it. */
const BODY_MS = 100;

/** A service with the test's answers. A request without one is silent until its limit. */
async function service(first: Reply | Failure | undefined) {
  const clock = manualClock();
  const it: { answer: Reply | Failure | undefined; afterMs: number } = { answer: first, afterMs: BODY_MS };
  const sentAt: number[] = [];
  const given: number[] = [];
  const send: Send = async ({ download: { silentMs = Infinity } = {} }) => {
    const { answer, afterMs } = it;
    sentAt.push(clock.now());
    const takesMs = answer === undefined ? silentMs : afterMs;
    await new Promise<void>((resolve) => clock.after(takesMs, resolve, 'background'));
    if (answer === undefined) given.push(silentMs);
    return answer ?? timeoutFailure('http://flipt.test', silentMs);
  };
  const { watch, requests, changed, reported } = watching(send, clock);
  await clock.advance(BODY_MS);
  /** Sent since then, in milliseconds. */
  const since = (start: number) => sentAt.filter((at) => at >= start).map((at) => at - start);
  return { clock, it, watch, requests, changed, reported, since, given };
}

describe('a poll without an answer', () => {
  it('is given up after four attempts, and sent again at once', async () => {
    const { clock, it, since, changed } = await service(A);
    const due = clock.now() + POLL_MS;
    it.answer = undefined;
    await clock.advance(POLL_MS);
    it.answer = B;
    await clock.advance(PATIENCE_MS + BODY_MS);
    expect(since(due)).toEqual([0, PATIENCE_MS]);
    expect(changed()).toEqual([['a']]);
  });

  it('is followed by the usual delays after the second, each with twice the limit, up to a minute', async () => {
    const { clock, it, since, given } = await service(A);
    const due = clock.now() + POLL_MS;
    it.answer = undefined;
    await clock.advance(10 * 60_000);
    const limits = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000];
    expect(given.slice(0, limits.length)).toEqual(limits);
    expect(since(due).slice(0, 5)).toEqual([
      0,
      2_000,
      6_000 + POLL_MS,
      14_000 + 2 * POLL_MS,
      30_000 + 3 * POLL_MS,
    ]);
  });

  it('has 30 s before a whole body was measured, and is then not sent again at once: that could cost one', async () => {
    const { clock, given, since } = await service(undefined);
    await clock.advance(30_000 - BODY_MS + POLL_MS);
    expect(given).toEqual([30_000]);
    expect(since(0)).toEqual([0, 30_000 + POLL_MS]);
  });

  it.each([
    ['has three times what whole bodies take', [B, A], 7_500],
    ['has no more for one slow body', [B], 2_000],
  ])('%s', async (_, slow, limitMs) => {
    const { clock, it, watch, given } = await service(A);
    for (const answer of slow) {
      Object.assign(it, { answer, afterMs: 2_500 });
      void watch.poll('user');
      await clock.advance(2_500);
    }
    it.answer = undefined;
    await clock.advance(120_000);
    expect(given[0]).toBe(limitMs);
  });

  it('is not sent again at once after a failure of another kind, and begins with the first limit again', async () => {
    const { clock, it, since, given } = await service(A);
    it.answer = refusedConnection;
    const due = clock.now() + POLL_MS;
    await clock.advance(POLL_MS + BODY_MS);
    it.answer = undefined;
    // One poll less than with the last one before the loss.
    await clock.advance(2 * POLL_MS - BODY_MS - 2_625 - 1);
    expect(given).toEqual([2_000]);
    expect(since(due)).toEqual([0, BODY_MS + POLL_MS]);
  });
});

describe('poll', () => {
  /** The request of an interval that gets no answer, at its beginning. It may be silent for 8 s. */
  async function silent() {
    const made = await service(A);
    made.it.answer = undefined;
    await made.clock.advance(POLL_MS + 6_000 + POLL_MS);
    expect(made.given).toEqual([2_000, 4_000]);
    return { ...made, start: made.clock.now() };
  }

  it('sends a second request beside one that has been silent for four attempts', async () => {
    const { clock, it, watch, since, start, changed, given } = await silent();
    await clock.advance(PATIENCE_MS);
    it.answer = B;
    const polled = watch.poll('user');
    await clock.advance(BODY_MS);
    await polled;
    expect(since(start)).toEqual([0, PATIENCE_MS]);
    expect(changed()).toEqual([['a']]);
    // What becomes of the silent one is no news.
    await clock.advance(8_000);
    expect(given).toEqual([2_000, 4_000, 8_000]);
    expect(since(start)).toHaveLength(2);
  });

  it('waits for that long if it is called before', async () => {
    const { clock, it, watch, since, start } = await silent();
    it.answer = B;
    const polled = watch.poll('stream');
    await clock.advance(PATIENCE_MS - 1);
    expect(since(start)).toEqual([0]);
    await clock.advance(1 + BODY_MS);
    await polled;
    expect(since(start)).toEqual([0, PATIENCE_MS]);
  });

  it('sends no third request beside these, however often it is called', async () => {
    const { clock, watch, since, start } = await silent();
    for (let call = 0; call < 20; call++) {
      void watch.poll('user');
      await clock.advance(100);
    }
    await clock.advance(7_999 - 2_000);
    expect(since(start)).toEqual([0, PATIENCE_MS]);
    watch.close();
  });

  it.each([
    ['a snapshot', A],
    ['a 304', UNCHANGED],
    ['a failure', refusedConnection],
  ])('lets an older answer, %s, never replace a newer one', async (_what, late) => {
    const { clock, it, watch, changed } = await silent();
    // The older request is the next one, which takes longer than the newer one.
    await clock.advance(8_000);
    Object.assign(it, { answer: late, afterMs: PATIENCE_MS + 1_000 });
    await clock.advance(POLL_MS + PATIENCE_MS);
    Object.assign(it, { answer: B, afterMs: BODY_MS });
    void watch.poll('user');
    await clock.advance(BODY_MS);
    expect(watch.snapshot()?.version).toBe('two');
    const confirmedAt = watch.confirmedAt();
    await clock.advance(2_000);
    expect(watch.snapshot()?.version).toBe('two');
    expect(watch.confirmedAt()).toBe(confirmedAt);
    expect(changed()).toEqual([['a']]);
  });

  it('takes a newer 304 for the snapshot that it was about, though an older answer came between', async () => {
    const { clock, it, watch, changed } = await silent();
    await clock.advance(8_000);
    // The older answer was made before the change was taken back.
    Object.assign(it, { answer: B, afterMs: PATIENCE_MS + 1_000 });
    await clock.advance(POLL_MS + PATIENCE_MS);
    Object.assign(it, { answer: UNCHANGED, afterMs: 1_500 });
    void watch.poll('user');
    await clock.advance(1_000);
    expect(watch.snapshot()?.version).toBe('two');
    await clock.advance(500);
    expect(watch.snapshot()?.version).toBe('one');
    expect(changed()).toEqual([['a'], ['a']]);
  });

  it('leaves no timer behind', async () => {
    const { clock, watch } = await silent();
    void watch.poll('user');
    watch.close();
    await clock.advance(60_000);
    expect(clock.timers()).toBe(0);
  });
});
