import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../src/http/reply.js';
import type { Failure } from '../../../src/model/failure.js';
import { manualClock } from '../../clock.fixture.js';
import { bodyJson, refusedConnection, reply } from '../fetched.fixture.js';
import { POLL_MS, watching } from './watched.fixture.js';

const A = reply(200, bodyJson({ a: true }), { etag: 'one' });

/** A service whose answer a test replaces. */
function service(first: Reply | Failure) {
  const clock = manualClock();
  const it = { answer: first };
  return { clock, it, ...watching(() => Promise.resolve(it.answer), clock) };
}

/** So long before the loss comes the last poll, as `random` is here. */
const LAST_CHANCE_MS = 2_625;

describe('a watch that fails', () => {
  it('is lost after three intervals, and found with the next success; both are reported once', async () => {
    const { clock, it, reported, watch } = service(A);
    await clock.settle();
    it.answer = refusedConnection;
    await clock.advance(POLL_MS * 3);
    expect(watch.lostForMs()).toBe(0);
    expect(reported).toContainEqual({ type: 'watch-changed', state: 'lost', failure: refusedConnection });
    await clock.advance(POLL_MS * 5);
    it.answer = A;
    await clock.advance(POLL_MS - LAST_CHANCE_MS);

    expect(reported.filter(({ type }) => type === 'watch-changed')).toEqual([
      { type: 'watch-changed', state: 'working', failure: undefined },
      { type: 'watch-changed', state: 'lost', failure: refusedConnection },
      { type: 'watch-changed', state: 'working', failure: undefined },
    ]);
    expect(watch.confirmedAt()).toBe(clock.now());
  });

  it('is not lost if the service is back just before that, whenever the next poll would have come', async () => {
    const { clock, it, types, watch } = service(A);
    await clock.settle();
    it.answer = refusedConnection;
    await clock.advance(POLL_MS * 1.5);
    await watch.poll();
    await clock.advance(POLL_MS * 1.5 - LAST_CHANCE_MS - 1);
    it.answer = A;
    await clock.advance(LAST_CHANCE_MS + 1);
    expect(types()).toEqual(['watch-changed']);
  });

  it('is lost with what is wrong then, and not with a failure of an interval before', async () => {
    const { clock, it, reported } = service(A);
    await clock.settle();
    it.answer = refusedConnection;
    await clock.advance(POLL_MS * 3 - LAST_CHANCE_MS - 1);
    it.answer = reply(502, '');
    await clock.advance(LAST_CHANCE_MS + 1);
    expect(reported.at(-1)).toMatchObject({ state: 'lost', failure: { kind: 'gateway' } });
  });

  it('is lost when its last success is too old, though no poll is due', async () => {
    const { clock, it, types, requests, watch } = service(A);
    await clock.settle();
    it.answer = reply(429, '', { 'retry-after': '600' });
    await clock.advance(POLL_MS * 3 - 1);
    expect(requests).toHaveLength(2);
    expect(watch.lostForMs()).toBe(-1);
    expect(types()).toEqual(['watch-changed']);
    await clock.advance(1);
    expect(requests).toHaveLength(2);
    expect(types()).toEqual(['watch-changed', 'watch-changed']);
    expect(clock.timers('awaited')).toBe(0);
    watch.close();
    expect(clock.timers()).toBe(0);
  });

  it('is lost after three intervals of a service that accepts a poll and never answers', async () => {
    const clock = manualClock();
    let answer: (reply: Reply) => void = () => undefined;
    const held = new Promise<Reply>((resolve) => (answer = resolve));
    let polls = 0;
    const { watch, types, reported } = watching(() => (polls++ === 0 ? Promise.resolve(A) : held), clock);
    await clock.advance(POLL_MS * 3 - 1);
    expect(polls).toBe(2);
    expect(types()).toEqual(['watch-changed']);
    await clock.advance(1);
    expect(watch.lostForMs()).toBe(0);
    expect(reported).toContainEqual({ type: 'watch-changed', state: 'lost', failure: undefined });
    answer(A);
    await clock.settle();
    expect(watch.lostForMs()).toBeLessThan(0);
    expect(types()).toEqual(['watch-changed', 'watch-changed', 'watch-changed']);
    watch.close();
    expect(clock.timers()).toBe(0);
  });

  it('waits for the response after a blocked event loop, when three intervals are over already', async () => {
    const clock = manualClock();
    let answer: (reply: Reply) => void = () => undefined;
    const held = new Promise<Reply>((resolve) => (answer = resolve));
    let polls = 0;
    const { watch, types } = watching(() => (polls++ === 0 ? Promise.resolve(A) : held), clock);
    await clock.settle();
    clock.block(POLL_MS * 10);
    await clock.advance(0);
    expect(polls).toBe(2);
    answer(A);
    await clock.settle();
    expect(types()).toEqual(['watch-changed']);
    expect(watch.lostForMs()).toBeLessThan(0);
    watch.close();
  });
});
