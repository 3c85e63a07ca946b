import { describe, expect, it } from 'vitest';
import { SILENT } from '../../src/model/events/reporter.js';
import type { DiagnosticEvent } from '../../src/model/events/internal-events.js';
import type { Send } from '../../src/http/reply.js';
import { openWatch } from '../../src/snapshot/watch/poll-watch.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { bodyJson, fetching, reply } from './fetched.fixture.js';
import { chance } from './shared/fleet.fixture.js';
import { PATIENCE_MS, POLL_MS } from './watch/watched.fixture.js';

const USUAL_MS = 1.2 * POLL_MS;

/** Instances that watch a service that makes one whole body after another, each in `bodyMs`. */
function fleet(size: number, { bodyMs = 46, flags = 40, hasEtag = true } = {}) {
  const clock = manualClock();
  const service = { state: 1, bodyMs, bodies: 0, polls: 0, pausedUntil: 0 };
  let busyUntil = 0;
  const send: Send = async ({ headers }) => {
    service.polls++;
    const etag = `state-${service.state}`;
    const isUnchanged = headers?.['if-none-match'] === etag;
    if (!isUnchanged) {
      service.bodies++;
      busyUntil = Math.max(busyUntil, clock.now()) + service.bodyMs;
    }
    const readyAt = Math.max(isUnchanged ? clock.now() : busyUntil, service.pausedUntil);
    await new Promise<void>((resolve) => clock.after(readyAt - clock.now(), resolve, 'background'));
    if (isUnchanged) return reply(304);
    const names = Array.from({ length: flags }, (_, at) => [`flag-${at}`, at > 0 || service.state % 2 === 0]);
    return reply(
      200,
      bodyJson(Object.fromEntries(names) as Record<string, boolean>),
      hasEtag ? { etag } : {},
    );
  };
  const reported: DiagnosticEvent[] = [];
  const watches = Array.from({ length: size }, (_, at) => {
    const random = chance(at);
    const { fetch } = fetching(send, clock);
    const report = (event: DiagnosticEvent) => void reported.push(event);
    const runtime = runtimeOf(clock, { ...SILENT, report }, random);
    return openWatch({ fetch, pollMs: POLL_MS, patienceMs: PATIENCE_MS }, runtime);
  });
  const longestMs = () => Math.max(...watches.map((watch) => watch.seenWithinMs()));
  /** Milliseconds until all have seen a change that happens now. */
  const changeSeen = async () => {
    const since = clock.now();
    const version = `state-${++service.state}`;
    while (watches.some((watch) => watch.snapshot()?.version !== version) && clock.now() - since < 900_000)
      await clock.advance(100);
    return clock.now() - since;
  };
  /** In small steps, because a large body is read in many turns of the event loop. */
  const passes = async (ms: number) => {
    for (let step = 0; step < ms / 500; step++) await clock.advance(500);
  };
  const slowed = () => reported.filter(({ type }) => type === 'watch-slowed');
  return { clock, service, watches, longestMs, changeSeen, passes, slowed };
}

describe('one slow answer', () => {
  it('at the start, while the service is paused, makes the next change no later', async () => {
    const { clock, service, longestMs, changeSeen } = fleet(1);
    service.pausedUntil = 5_000;
    await clock.advance(6_000);
    expect(longestMs()).toBe(USUAL_MS);
    expect(await changeSeen()).toBeLessThanOrEqual(USUAL_MS + 100);
  });

  it('later on makes the next change no later', async () => {
    const { clock, service, longestMs, changeSeen, slowed } = fleet(1);
    await clock.advance(60_000);
    service.state++;
    while (service.bodies < 2) await clock.advance(100);
    // The body was asked for, and comes five seconds late.
    service.pausedUntil = clock.now() + 5_000;
    await clock.advance(6_000);
    expect(longestMs()).toBe(USUAL_MS);
    expect(await changeSeen()).toBeLessThanOrEqual(USUAL_MS + 100);
    expect(slowed()).toEqual([]);
  });

  it('of our own blocked event loop makes the next change no later', async () => {
    const { clock, longestMs, changeSeen } = fleet(1);
    await clock.settle();
    clock.block(5_000);
    await clock.advance(100);
    expect(longestMs()).toBe(USUAL_MS);
    expect(await changeSeen()).toBeLessThanOrEqual(USUAL_MS + 100);
  });
});

describe('two slow answers, one after another,', () => {
  /** The second one, so long after the first. Resolves when it has come. */
  const twice = async (betweenMs: number, firstMs: number, secondMs = firstMs) => {
    const it = fleet(1, { bodyMs: firstMs });
    const [watch] = it.watches;
    await it.passes(firstMs + betweenMs);
    Object.assign(it.service, { state: 2, bodyMs: secondMs });
    void watch?.poll('user');
    await it.passes(secondMs + 500);
    return { ...it, watch };
  };

  it('make the next poll come after 20 times the shorter one, and the poll after that as usual', async () => {
    const { watch, service, clock, passes, longestMs, slowed } = await twice(30_000, 3_000, 8_000);
    expect(longestMs()).toBe(72_000);
    expect(watch?.lateBecause()).toBe('a whole snapshot takes Flipt 3 s, so that it is polled every 60 s');
    const { polls } = service;
    await passes(47_000);
    expect(service.polls).toBe(polls);
    while (service.polls === polls) await clock.advance(500);
    await clock.settle();
    expect([longestMs(), watch?.lateBecause()]).toEqual([USUAL_MS, undefined]);
    await passes(USUAL_MS);
    expect(service.polls).toBe(polls + 2);
    expect(slowed()).toEqual([
      { type: 'watch-slowed', seenWithinMs: 72_000, why: expect.any(String) as string },
      { type: 'watch-slowed', seenWithinMs: USUAL_MS, why: undefined },
    ]);
  });

  it('delay no poll that a user asks for', async () => {
    const { watch, service, passes } = await twice(30_000, 3_000);
    service.state++;
    void watch?.poll('user');
    await passes(3_500);
    expect(watch?.snapshot()?.version).toBe('state-3');
  });

  it('make it come after five minutes at most', async () => {
    const { longestMs } = await twice(30_000, 40_000);
    expect(longestMs()).toBe(1.2 * 300_000);
  });

  it.each([
    ['more than ten minutes apart', 601_000, 3_000, 3_000],
    ['of which one was quick', 30_000, 46, 3_000],
    ['of which the other was quick', 30_000, 3_000, 46],
    ['of a twentieth of the interval', 30_000, 750, 750],
  ])('change nothing if they are %s', async (_what, betweenMs, firstMs, secondMs) => {
    const { longestMs, slowed } = await twice(betweenMs, firstMs, secondMs);
    expect([longestMs(), slowed()]).toEqual([USUAL_MS, []]);
  });
});

describe('a fleet that starts at once', () => {
  it('of 60 instances sees a change right after that within 25 s', async () => {
    const { clock, changeSeen } = fleet(60);
    await clock.advance(3_000);
    expect(await changeSeen()).toBeLessThanOrEqual(25_000);
  });

  it.each([20, 60, 200, 500])('of %i instances sees a change within 18 s two minutes later', async (size) => {
    const { clock, service, longestMs, changeSeen } = fleet(size);
    await clock.advance(120_000);
    expect(longestMs()).toBe(USUAL_MS);
    expect(service.bodies).toBe(size);
    const queueMs = size * service.bodyMs;
    expect(await changeSeen()).toBeLessThanOrEqual(USUAL_MS + queueMs);
  });
});

describe('a service that needs long for each whole snapshot', () => {
  it.each([
    ['and whose flags change all the time', true],
    ['and gives no tag', false],
  ])('%s spends a twentieth of its time on them', async (_what, hasEtag) => {
    const { clock, passes, service } = fleet(1, { bodyMs: 5_000, flags: 10, hasEtag });
    for (let edit = 0; edit < 180; edit++) {
      service.state++;
      await passes(10_000);
    }
    expect(service.bodies * service.bodyMs).toBeLessThanOrEqual(0.065 * clock.now());
  });

  it('sends no more of them than there are changes, and changes are seen as soon as ever', async () => {
    const { clock, service, passes, changeSeen } = fleet(1, { bodyMs: 2_500 });
    for (let change = 2; change < 6; change++) {
      await passes(660_000);
      expect(await changeSeen()).toBeLessThanOrEqual(USUAL_MS + 2_600);
    }
    await clock.advance(0);
    expect(service.bodies).toBe(5);
  });
});
