import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/time/clock.js';
import { timeoutFailure } from '../../src/http/failures.js';
import type { Outcome } from '../../src/http/reply.js';
import type { Failure } from '../../src/model/failure.js';
import { manualClock } from '../clock.fixture.js';
import { bodyJson, refusedConnection, reply } from './fetched.fixture.js';
import { opened, POLL_MS, serving, sourceOf, type Answer } from './source.fixture.js';

const MINUTE = 60_000;

/** A Flipt whose flags and whose trouble a test changes. */
function flipt(flags: Record<string, boolean> = { a: true }) {
  const state = { flags, trouble: undefined as Outcome | undefined };
  const serve = serving(() => bodyJson(state.flags));
  const answer: Answer = (request) => state.trouble ?? serve(request);
  return Object.assign(state, { answer });
}

describe('polls', () => {
  it('come at once and then every interval, and name the ETag', async () => {
    const { clock, source, polls, named } = await opened(flipt().answer);
    expect(polls).toHaveLength(1);
    await clock.advance(2 * POLL_MS);
    expect(named()).toEqual([undefined, expect.any(String), expect.any(String)]);
    expect(polls[0]).toMatchObject({
      path: '/internal/v1/evaluation/snapshot/namespace/default',
      headers: { 'x-flipt-accept-server-version': '1.61.1', 'cache-control': 'no-cache' },
    });
    expect(clock.timers('awaited')).toBe(0);
    await source.close();
    expect(clock.timers()).toBe(0);
  });

  it('report nothing of the first snapshot, and then exactly which flags have changed, once', async () => {
    const service = flipt({ a: true, b: true });
    const { clock, changed } = await opened(service.answer);
    expect(changed()).toEqual([]);
    service.flags = { a: true, b: false, c: true };
    await clock.advance(3 * POLL_MS);
    expect(changed()).toEqual([['b', 'c']]);
  });

  it('compare the contents if there is no ETag', async () => {
    let flags: Record<string, boolean> = { a: true };
    const { clock, source, changed } = await opened(() => reply(200, bodyJson(flags)));
    const first = source.snapshot();
    await clock.advance(POLL_MS);
    expect(source.snapshot()).toBe(first);
    flags = { a: false };
    await clock.advance(POLL_MS);
    expect(changed()).toEqual([['a']]);
  });

  it('keep what was served while bodies are broken', async () => {
    const service = flipt();
    const { clock, keys, lines } = await opened(service.answer);
    service.trouble = reply(200, { flags: 'none' });
    await clock.advance(POLL_MS);
    expect(keys()).toEqual(['a']);
    expect(lines.at(-1)).toContain('flags: expected a list');
  });

  it('of a right Flipt name their ETag also after failures', async () => {
    const service = flipt();
    const { clock, named } = await opened(service.answer);
    service.trouble = reply(503, 'no');
    await clock.advance(2 * POLL_MS);
    service.trouble = undefined;
    await clock.advance(POLL_MS);
    expect(named().slice(1)).not.toContain(undefined);
  });

  it('go without an ETag once per maxAgeMs', async () => {
    const { clock, named } = await opened(flipt().answer);
    await clock.advance(60 * MINUTE);
    const wholes = named().filter((tag) => tag === undefined).length;
    expect(wholes).toBeGreaterThan(5);
    expect(wholes).toBeLessThan(10);
  });

  it('end with close, whatever is under way', async () => {
    let end: (outcome: Outcome) => void = () => undefined;
    const { clock, source, events } = await opened(() => new Promise((resolve) => (end = resolve)));
    await source.close();
    end(reply(200, bodyJson({ a: true })));
    await clock.advance(10 * POLL_MS);
    expect(events('snapshot-polled')).toEqual([]);
    expect(source.snapshot()).toBeUndefined();
  });
});

describe('Retry-After', () => {
  it('is waited for, changes seenWithinMs, and is a line of the log', async () => {
    const service = flipt();
    const { clock, source, polls, warnings } = await opened(service.answer);
    expect(source.poller.seenWithinMs()).toBe(1.2 * POLL_MS);
    service.trouble = reply(429, 'slow down', { 'retry-after': '120' });
    await clock.advance(POLL_MS);
    await source.poller.pollNext('user');
    await clock.advance(119_000);
    expect(polls).toHaveLength(2);
    expect(source.poller.seenWithinMs()).toBe(144_000);
    expect(warnings).toEqual([
      'The provider may need up to 144 s to see a change in Flipt: Flipt has asked for a pause of 120 s',
    ]);
    service.trouble = undefined;
    await clock.advance(4_000);
    expect(polls).toHaveLength(3);
    expect(source.poller.seenWithinMs()).toBe(1.2 * POLL_MS);
  });
});

describe('a watch', () => {
  it('is lost three intervals after its last success, and found with the next one', async () => {
    const service = flipt();
    const { clock, source, conditions } = await opened(service.answer);
    service.trouble = refusedConnection;
    await clock.advance(3 * POLL_MS - 1);
    expect(conditions()).toEqual(['working']);
    expect(source.poller.sureForMs(clock.now())).toBeGreaterThan(0);
    await clock.advance(1);
    expect(conditions()).toEqual(['working', 'lost']);
    expect(source.poller.sureForMs(clock.now())).toBe(0);
    service.trouble = undefined;
    await clock.advance(POLL_MS);
    expect(conditions()).toEqual(['working', 'lost', 'working']);
  });

  it('whose polls have all failed since the start is lost as if the start had been a success', async () => {
    const { clock, conditions, events } = await opened(() => reply(503, 'no'));
    await clock.advance(3 * POLL_MS);
    expect(conditions()).toEqual(['lost']);
    expect(events('watch-changed')[0]?.failure).toBe('gateway');
  });

  it('is lost on time though the timer is early and the clock moves between two readings', async () => {
    const clock = manualClock();
    let moved = 0;
    // The timer of the loss fires 0.5 ms early, and each reading of the clock takes 0.2 ms.
    const now = () => clock.now() + (moved += 0.2);
    const after: Clock['after'] = (ms, run, kind) => clock.after(Math.max(0, ms - 0.5), run, kind);
    const uneven = { ...clock, now, after };
    const { conditions } = await opened(
      () => reply(503, 'no'),
      {},
      uneven,
      () => 0.9,
    );
    await clock.advance(3 * POLL_MS + 100);
    expect(conditions()).toEqual(['lost']);
  });
});

describe('a Flipt without snapshots', () => {
  it.each([404, 405, 501, 401, 403])(
    'that says %i is asked again after two intervals, up to five minutes',
    async (status) => {
      const { clock, polls, conditions } = await opened(() => reply(status, 'no'));
      expect(conditions()).toEqual(['not-offered']);
      await clock.advance(2 * POLL_MS - 1);
      expect(polls).toHaveLength(1);
      await clock.advance(1);
      expect(polls).toHaveLength(2);
      await clock.advance(30 * MINUTE);
      const before = polls.length;
      await clock.advance(10 * MINUTE);
      expect(polls.length - before).toBe(2);
      expect(conditions()).toEqual(['not-offered']);
    },
  );

  it('is one with a failed poll if it has served snapshots before', async () => {
    const service = flipt();
    const { clock, conditions, polls } = await opened(service.answer);
    service.trouble = reply(404, 'no');
    await clock.advance(2 * POLL_MS);
    expect(polls).toHaveLength(3);
    expect(conditions()).toEqual(['working']);
  });

  it('that only does not know the namespace is asked in each interval', async () => {
    const service = flipt();
    service.trouble = reply(404, { code: 5, message: 'namespace "default" not found' });
    const { clock, polls, conditions } = await opened(service.answer);
    await clock.advance(4 * POLL_MS);
    expect(polls).toHaveLength(5);
    service.trouble = undefined;
    await clock.advance(POLL_MS);
    expect(conditions()).toEqual(['not-offered', 'working']);
  });

  it('for a moment at the start has them two intervals later', async () => {
    const service = flipt();
    service.trouble = reply(200, 'a page');
    const { clock, conditions } = await opened(service.answer);
    service.trouble = undefined;
    await clock.advance(2 * POLL_MS);
    expect(conditions()).toEqual(['not-offered', 'working']);
  });
});

describe('a poll without an answer', () => {
  const silence = (ms = 0): Failure => timeoutFailure('http://flipt.test', ms);

  it('is sent again at once, and only the first of several', async () => {
    const service = flipt();
    const { clock, polls } = await opened(service.answer);
    service.trouble = silence();
    await clock.advance(POLL_MS);
    expect(polls).toHaveLength(3);
    await clock.advance(POLL_MS);
    expect(polls).toHaveLength(4);
  });

  it('may be silent for 30 s before a whole body was measured, and then for four attempts', async () => {
    const { clock, polls } = await opened(flipt().answer);
    await clock.advance(POLL_MS);
    expect(polls.map(({ download }) => download?.silentMs)).toEqual([30_000, 2_000]);
  });
});

describe('whole bodies that take long', () => {
  const slow = (durations: readonly number[]) => {
    const clock = manualClock();
    let count = 0;
    const answer: Answer = async () => {
      const ms = durations[Math.min(count, durations.length - 1)] ?? 0;
      count++;
      if (ms > 0) await new Promise<void>((resolve) => clock.after(ms, resolve, 'background'));
      return reply(200, bodyJson({ [`state-${count}`]: true }));
    };
    return { clock, answer };
  };

  it('twice in a row make polls come after 20 times the shorter one, with one line of the log', async () => {
    const { clock, answer } = slow([2_500, 3_000, 10]);
    const { source, polls, warnings } = await opened(answer, {}, clock);
    await clock.advance(2_500 + POLL_MS + 3_000);
    expect(polls).toHaveLength(2);
    expect(source.poller.seenWithinMs()).toBe(60_000);
    expect(warnings).toEqual([
      'The provider may need up to 60 s to see a change in Flipt: whole snapshots take Flipt so long that it is polled less often',
    ]);
    await clock.advance(49_000);
    expect(polls).toHaveLength(2);
    await clock.advance(1_100);
    expect(polls).toHaveLength(3);
    expect(source.poller.seenWithinMs()).toBe(1.2 * POLL_MS);
  });

  it('once make no poll later: one pause of Flipt must not delay the next kill switch', async () => {
    const { clock, answer } = slow([3_000, 10, 3_000, 10]);
    const { source, polls } = await opened(answer, {}, clock);
    await clock.advance(3_000 + 3 * POLL_MS + 3_100);
    expect(polls).toHaveLength(4);
    expect(source.poller.seenWithinMs()).toBe(1.2 * POLL_MS);
  });
});

describe('invalidate()', () => {
  it('polls without an ETag, after a poll that is under way', async () => {
    const service = flipt();
    const { clock, source, named } = await opened(service.answer);
    const first = source.poller.pollNext();
    await Promise.resolve();
    await Promise.all([first, source.poller.pollNext('user'), clock.settle()]);
    expect(named()).toEqual([undefined, expect.any(String), undefined]);
    await clock.advance(POLL_MS);
    expect(named().at(-1)).toBeDefined();
  });

  it('during an outage is remembered until a poll succeeds', async () => {
    const service = flipt();
    const { clock, source, named } = await opened(service.answer);
    service.trouble = refusedConnection;
    await source.poller.pollNext('user');
    await clock.advance(POLL_MS);
    service.trouble = undefined;
    await clock.advance(2 * POLL_MS);
    expect(named()).toEqual([undefined, undefined, undefined, undefined, expect.any(String)]);
  });

  it('before the start counts for the first poll', async () => {
    const { source, clock, named } = sourceOf(flipt().answer);
    await source.poller.pollNext('reset');
    expect(named()).toEqual([]);
    void source.open();
    await clock.advance(0);
    expect(named()).toEqual([undefined]);
  });
});

describe('a process that was paused', () => {
  it('begins the poll that it has missed with its first evaluation', async () => {
    const service = flipt();
    const { clock, source, polls, keys } = await opened(service.answer);
    service.flags = { b: true };
    // While a machine sleeps, timers stand still.
    clock.block(70_000);
    source.poller.used(clock.now());
    source.poller.used(clock.now());
    await clock.settle();
    expect([polls.length, keys()]).toEqual([2, ['b']]);
    source.poller.used(clock.now());
    expect(polls).toHaveLength(2);
  });

  it('has the truth after refresh(), also if its poll died on the way', async () => {
    const service = flipt();
    let die: (outcome: Outcome) => void = () => undefined;
    let polls = 0;
    const { clock, source, keys } = await opened((request) =>
      ++polls === 2 ? new Promise((resolve) => (die = resolve)) : service.answer(request),
    );
    await clock.advance(POLL_MS);
    service.flags = { b: true };
    clock.block(70_000);
    const refreshed = source.refresh();
    const reset: Failure = {
      kind: 'connection',
      message: 'reset',
      cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
    };
    die(reset);
    await clock.settle();
    await refreshed;
    expect(keys()).toEqual(['b']);
  });

  it('does not wait in refresh() if no poll is due', async () => {
    const { source, polls } = await opened(flipt().answer);
    await source.refresh();
    expect(polls).toHaveLength(1);
  });
});
