import { describe, expect, it } from 'vitest';
import { SILENT } from '../../src/diagnostics/diagnostics.js';
import type { DiagnosticEvent } from '../../src/diagnostics/internal-events.js';
import type { Send } from '../../src/http/reply.js';
import { openWatch } from '../../src/snapshot/watch/poll-watch.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { bodyJson, fetching, reply } from './fetched.fixture.js';
import { chance } from './shared/fleet.fixture.js';
import { PATIENCE_MS, POLL_MS } from './watch/watched.fixture.js';

const USUAL_MS = 1.2 * POLL_MS;

/** Instances that watch a service that makes one whole body after another, each in `bodyMs`. */
function fleet(size: number, { bodyMs = 46, flags = 40 } = {}) {
  const clock = manualClock();
  const service = { state: 1, bodyMs, unchangedMs: 0, bodies: 0, polls: 0, pausedUntil: 0 };
  let busyUntil = 0;
  const send: Send = async ({ headers }) => {
    service.polls++;
    const etag = `state-${service.state}`;
    const isUnchanged = headers?.['if-none-match'] === etag;
    if (!isUnchanged) {
      service.bodies++;
      busyUntil = Math.max(busyUntil, clock.now()) + service.bodyMs;
    }
    const readyAt = Math.max(
      isUnchanged ? clock.now() + service.unchangedMs : busyUntil,
      service.pausedUntil,
    );
    await new Promise<void>((resolve) => clock.after(readyAt - clock.now(), resolve, 'background'));
    if (isUnchanged) return reply(304);
    const names = Array.from({ length: flags }, (_, at) => [`flag-${at}`, at > 0 || service.state % 2 === 0]);
    return reply(200, bodyJson(Object.fromEntries(names) as Record<string, boolean>), { etag });
  };
  const reported: DiagnosticEvent[] = [];
  const watches = Array.from({ length: size }, (_, at) => {
    const random = chance(at);
    const { fetch } = fetching(send, clock, random);
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

  it('twice in a row makes changes late for two minutes at most', async () => {
    const { clock, service, watches, longestMs, slowed } = fleet(1);
    for (let body = 1; body <= 2; body++) {
      service.state++;
      service.bodyMs = 3_000;
      void watches[0]?.poll('user');
      await clock.advance(3_100);
    }
    expect(longestMs()).toBe(72_000);
    expect(watches[0]?.lateBecause()).toBe(
      'a whole snapshot takes Flipt 3 s, so that it is polled every 60 s',
    );
    service.bodyMs = 46;
    await clock.advance(120_000);
    expect(longestMs()).toBe(USUAL_MS);
    expect(watches[0]?.lateBecause()).toBeUndefined();
    expect(slowed()).toEqual([
      { type: 'watch-slowed', seenWithinMs: 72_000, why: expect.any(String) as string },
      { type: 'watch-slowed', seenWithinMs: USUAL_MS, why: undefined },
    ]);
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

describe('a service that was overloaded', () => {
  it.each([10, 30])(
    'for %i minutes makes changes late for two minutes of quick answers at most',
    async (minutes) => {
      const { passes, service, longestMs } = fleet(1, { bodyMs: 5_000 });
      service.unchangedMs = 3_000;
      await passes(minutes * 60_000);
      expect(longestMs()).toBe(120_000);
      Object.assign(service, { bodyMs: 46, unchangedMs: 5 });
      const before = service.polls;
      // Until one answer is quick.
      while (service.polls === before) await passes(1_000);
      await passes(120_000);
      expect(longestMs()).toBe(USUAL_MS);
    },
  );
});

describe('a fleet that starts at once', () => {
  it('of 60 instances sees a change right after that within 25 s', async () => {
    const { clock, changeSeen } = fleet(60);
    await clock.advance(3_000);
    expect(await changeSeen()).toBeLessThanOrEqual(25_000);
  });

  it('of 200 instances is back at the usual interval within two minutes', async () => {
    const { clock, service, longestMs, changeSeen } = fleet(200);
    await clock.advance(120_000);
    expect(longestMs()).toBe(USUAL_MS);
    expect(service.bodies).toBeLessThanOrEqual(400);
    const before = service.polls;
    await clock.advance(300_000);
    expect(service.polls - before).toBeLessThanOrEqual(1.1 * 200 * (300_000 / POLL_MS));
    expect(await changeSeen()).toBeLessThanOrEqual(25_000);
  });
});

describe('a real cost', () => {
  it('of 25 s for 10,000 flags is kept through frequent edits, and says why changes are late', async () => {
    const { clock, passes, service, longestMs, watches, slowed } = fleet(1, {
      bodyMs: 25_000,
      flags: 10_000,
    });
    await passes(25_000);
    // The injected clock stands while turns of the event loop read the body.
    for (let step = 0; step < 2_000; step++) await clock.settle();
    expect(longestMs()).toBe(600_000);
    const minutes = 60;
    for (let minute = 0; minute < minutes; minute++) {
      service.state++;
      await passes(60_000);
      expect(longestMs()).toBe(600_000);
    }
    // One for each 500 s, give or take 20 %, and the measurements.
    expect(service.bodies * service.bodyMs).toBeLessThanOrEqual(0.07 * clock.now());
    expect(watches[0]?.lateBecause()).toMatch(
      /^a whole snapshot takes Flipt 25 s, so that it is polled every 500 s$/,
    );
    expect(slowed()).toHaveLength(1);
  });

  it('that no size explains is kept from the second body on', async () => {
    const { clock, passes, service, longestMs } = fleet(1, { bodyMs: 5_000, flags: 10 });
    await passes(6_000);
    expect(longestMs()).toBe(USUAL_MS);
    await passes(120_000);
    expect(service.bodies).toBe(2);
    expect(longestMs()).toBe(120_000);
    for (let edit = 0; edit < 60; edit++) {
      service.state++;
      await passes(10_000);
      expect(longestMs()).toBe(120_000);
    }
    expect(service.bodies * service.bodyMs).toBeLessThanOrEqual(0.09 * clock.now());
  });

  it('is measured as rarely if the other answers are quick, or always slow', async () => {
    for (const unchangedMs of [5, 3_000]) {
      const { passes, service } = fleet(1, { bodyMs: 5_000 });
      service.unchangedMs = unchangedMs;
      await passes(3_000_000);
      expect(service.bodies, `${unchangedMs} ms`).toBeLessThanOrEqual(7);
    }
  });

  it('is forgotten an hour after the last body, at a poll, so that the watch is not lost', async () => {
    const { clock, passes, service, longestMs, watches } = fleet(1, { bodyMs: 2_500, flags: 1_000 });
    await passes(60_000);
    expect(longestMs()).toBe(60_000);
    while (longestMs() > USUAL_MS) {
      expect(watches[0]?.lostForMs()).toBeLessThan(0);
      await passes(1_000);
    }
    expect(clock.now()).toBeGreaterThan(3_600_000);
    expect(service.bodies).toBeLessThanOrEqual(6);
  });
});
