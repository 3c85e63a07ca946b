import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../src/http/reply.js';
import type { Failure } from '../../../src/model/failure.js';
import type { FetchSnapshot } from '../../../src/snapshot/fetch-snapshot.js';
import type { Asker } from '../../../src/snapshot/tag-trust.js';
import { openWatch } from '../../../src/snapshot/watch/poll-watch.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { bodyJson, fetching, reply } from '../fetched.fixture.js';
import { PATIENCE_MS, POLL_MS, watching } from './watched.fixture.js';

/** A service whose answer a test replaces. */
function service(first: Reply | Failure) {
  const clock = manualClock();
  const it = { answer: first };
  return { clock, it, ...watching(() => Promise.resolve(it.answer), clock) };
}
const A = reply(200, bodyJson({ a: true, b: true }), { etag: 'one' });
const B = reply(200, bodyJson({ a: true, b: false }), { etag: 'two' });

describe('the watch', () => {
  it('polls at once and then every interval, in the background only', async () => {
    const { clock, requests, watch } = service(A);
    await clock.settle();
    expect(requests).toHaveLength(1);
    expect(watch.snapshot()?.flags.keys().size).toBe(2);

    await clock.advance(POLL_MS - 1);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.headers).toHaveProperty('if-none-match', 'one');
    expect(clock.timers('awaited')).toBe(0);
    watch.close();
    expect(clock.timers()).toBe(0);
  });

  it('reports nothing of the first snapshot, and then exactly which flags have changed, once', async () => {
    const { clock, it, changed, types } = service(A);
    await clock.settle();
    expect(changed()).toEqual([]);

    it.answer = B;
    await clock.advance(POLL_MS * 3);
    expect(changed()).toEqual([['b']]);

    it.answer = reply(200, bodyJson({ b: false, c: true }), { etag: 'three' });
    await clock.advance(POLL_MS);
    expect(changed()).toEqual([['b'], ['a', 'c']]);
    expect(types()).toEqual(['watch-changed', 'flags-changed', 'flags-changed']);
  });

  it('sees no change in tags that alternate, as from two replicas', async () => {
    const { clock, it, changed, requests } = service(A);
    for (const etag of ['two', 'one', 'two']) {
      await clock.advance(POLL_MS);
      it.answer = reply(200, bodyJson({ b: true, a: true }), { etag });
    }
    await clock.advance(POLL_MS);

    expect(changed()).toEqual([]);
    expect(requests.map(({ headers = {} }) => headers['if-none-match'])).toEqual([
      undefined,
      'one',
      'one',
      'two',
      'one',
    ]);
  });

  it('compares the contents if there is no ETag', async () => {
    const { clock, it, changed } = service(reply(200, bodyJson({ a: true })));
    await clock.advance(POLL_MS);
    it.answer = reply(200, bodyJson({ a: false }));
    await clock.advance(POLL_MS);

    expect(changed()).toEqual([['a']]);
  });

  it('keeps snapshot and ETag when a body is broken, so that the next one is asked for in full', async () => {
    const { clock, it, changed, requests, watch } = service(A);
    await clock.settle();
    it.answer = { ...B, bytes: Buffer.from(B.text.slice(0, -5)) };
    await clock.advance(POLL_MS);
    expect(watch.snapshot()?.version).toBe('one');

    it.answer = B;
    await clock.advance(POLL_MS);
    expect(requests.at(-1)?.headers).toHaveProperty('if-none-match', 'one');
    expect(changed()).toEqual([['b']]);
  });

  it('waits as long as Retry-After asks for, even if it is asked to poll', async () => {
    const { clock, requests, watch } = service(reply(429, '', { 'retry-after': '40' }));
    await clock.advance(39_999);
    await watch.poll();
    expect(requests).toHaveLength(1);
    // And a random share of the interval, because other instances were given the same time.
    await clock.advance(1 + POLL_MS / 4);
    expect(requests).toHaveLength(2);
  });

  it('waits as long as Retry-After asks for, even if a poll was waiting for that response', async () => {
    let end: (outcome: Reply) => void = () => undefined;
    let sent = 0;
    const clock = manualClock();
    const { watch } = watching(() => {
      sent++;
      return new Promise((resolve) => (end = resolve));
    }, clock);
    await clock.settle();
    const polled = watch.poll();
    end(reply(429, '', { 'retry-after': '40' }));
    await polled;
    expect(sent).toBe(1);
    await clock.advance(40_000 + POLL_MS / 4);
    expect(sent).toBe(2);
  });

  it('ends with close, whatever is under way', async () => {
    let end: (outcome: Reply) => void = () => undefined;
    const clock = manualClock();
    const { watch, changed, reported } = watching(() => new Promise((resolve) => (end = resolve)), clock);
    watch.close();
    end(A);
    await clock.advance(POLL_MS * 10);
    await watch.poll();

    expect(changed()).toEqual([]);
    expect(reported).toEqual([]);
    expect(clock.timers()).toBe(0);
  });
});

describe('without snapshots', () => {
  it.each([401, 403, 404, 405, 501])(
    '(%i) it tries again less and less often, down to every five minutes, and says so once',
    async (status) => {
      const { clock, it, requests, types, reported, watch } = service(reply(status));
      for (const [at, ms] of [2, 4, 8, 16].map((times) => times * POLL_MS).entries()) {
        await clock.advance(ms - 1);
        expect(requests).toHaveLength(at + 1);
        await clock.advance(1);
      }
      expect(watch.lostForMs()).toBe(Infinity);
      await clock.advance(599_999);
      expect(requests).toHaveLength(6);
      expect(types()).toEqual(['watch-changed']);
      expect(reported).toContainEqual(
        expect.objectContaining({ type: 'watch-changed', state: 'not-offered' }),
      );

      it.answer = A;
      await clock.advance(1);
      expect(reported).toContainEqual(expect.objectContaining({ type: 'watch-changed', state: 'working' }));
      await clock.advance(POLL_MS);
      expect(requests).toHaveLength(8);
    },
  );

  it('for a moment at the start, as behind a gateway during a deployment, it has one two intervals later', async () => {
    const { clock, it, requests, reported } = service(reply(404));
    await clock.settle();
    it.answer = A;
    await clock.advance(2 * POLL_MS);
    expect(requests).toHaveLength(2);
    expect(reported).toContainEqual(expect.objectContaining({ type: 'watch-changed', state: 'working' }));
  });

  it('a moment of 401 or 404 after a success is a failed poll', async () => {
    const { clock, it, requests, types } = service(A);
    await clock.settle();
    for (const status of [401, 404]) {
      it.answer = reply(status);
      await clock.advance(POLL_MS);
    }
    it.answer = A;
    await clock.advance(POLL_MS);

    expect(requests).toHaveLength(4);
    expect(types()).toEqual(['watch-changed']);
  });
});

describe('poll', () => {
  it('asks at once, and begins the interval again', async () => {
    const { clock, watch, requests } = service(A);
    await clock.advance(10_000);
    await watch.poll();
    expect(requests).toHaveLength(2);
    await clock.advance(14_999);
    expect(requests).toHaveLength(2);
    await clock.advance(1);
    expect(requests).toHaveLength(3);
  });

  it('asks once more for all who call while a request is under way: that one may have been too early', async () => {
    const ends: ((outcome: Reply) => void)[] = [];
    const clock = manualClock();
    const { watch, requests } = watching(() => new Promise((resolve) => ends.push(resolve)), clock);
    const polls = [watch.poll(), watch.poll()];
    await clock.settle();
    expect(requests).toHaveLength(1);
    ends[0]?.(A);
    await clock.settle();
    expect(requests).toHaveLength(2);
    ends[1]?.(B);
    await Promise.all(polls);

    expect(requests).toHaveLength(2);
    expect(watch.snapshot()?.version).toBe('two');
  });

  it('asks for a user if the user’s poll joins a waiting one of the stream', async () => {
    const clock = manualClock();
    const askers: (Asker | undefined)[] = [];
    const { fetch: answering } = fetching(() => Promise.resolve(A), clock);
    const fetch: FetchSnapshot = (known, asker) => {
      askers.push(asker);
      return answering(known);
    };
    const watch = openWatch({ fetch, pollMs: POLL_MS, patienceMs: PATIENCE_MS }, runtimeOf(clock));
    await Promise.all([watch.poll('stream'), watch.poll('user'), watch.poll('stream')]);
    expect(askers).toEqual([undefined, 'user']);
    await watch.poll('stream');
    expect(askers).toEqual([undefined, 'user', 'stream']);
    watch.close();
  });
});
