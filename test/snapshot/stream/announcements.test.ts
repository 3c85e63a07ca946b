import { describe, expect, it } from 'vitest';
import { openAnnouncements } from '../../../src/snapshot/stream/announcements.js';
import type { Snapshot } from '../../../src/snapshot/snapshot.js';
import { manualClock } from '../../clock.fixture.js';

/** A service that serves the present version on each poll. */
function announcing() {
  const clock = manualClock();
  const it = { serves: 'one', held: 'one', polls: 0, sparesForMs: 0 };
  const poll = () => {
    it.polls++;
    it.held = it.serves;
    return Promise.resolve();
  };
  const snapshot = () => ({ version: it.held }) as Snapshot;
  return { clock, it, ...openAnnouncements({ poll, snapshot, sparesForMs: () => it.sparesForMs }, clock) };
}

describe('an announced digest', () => {
  it('that is known already causes no request', () => {
    const { it, announced } = announcing();
    announced('one');
    expect(it.polls).toBe(0);
  });

  it('is fetched at once', async () => {
    const { clock, it, announced } = announcing();
    it.serves = 'two';
    announced('two');
    await clock.settle();
    expect(it.polls).toBe(1);
    expect(clock.timers()).toBe(0);
  });

  it('is fetched until it is served: the event may come before the change can be read', async () => {
    const { clock, it, announced } = announcing();
    announced('two');
    await clock.advance(14_000);
    expect(it.held).toBe('one');
    expect(clock.timers('background')).toBe(1);
    it.serves = 'two';
    await clock.advance(2_000);

    expect(it.held).toBe('two');
    expect(it.polls).toBeLessThan(15);
    expect(clock.timers()).toBe(0);
  });

  it('is fetched when the service need not be spared any more, and gets 20 s from then on', async () => {
    const { clock, it, announced } = announcing();
    it.sparesForMs = 30_000;
    announced('two');
    await clock.advance(29_999);
    expect(it.polls).toBe(0);
    it.sparesForMs = 0;
    await clock.advance(19_000);
    it.serves = 'two';
    await clock.advance(2_000);
    expect(it.held).toBe('two');
    expect(clock.timers()).toBe(0);
  });

  it('is not fetched again before the service need not be spared', async () => {
    const { clock, it, announced } = announcing();
    announced('two');
    it.sparesForMs = 5_000;
    await clock.advance(9_999);
    expect(it.polls).toBe(2);
  });

  it('is given up after 20 s', async () => {
    const { clock, it, announced } = announcing();
    announced('two');
    await clock.advance(20_000);
    const { polls } = it;
    await clock.advance(60_000);

    expect(it.polls).toBe(polls);
    expect(clock.timers()).toBe(0);
  });

  it('is replaced by the next one, which gets 20 s of its own', async () => {
    const { clock, it, announced } = announcing();
    announced('two');
    await clock.advance(19_000);
    announced('three');
    await clock.advance(16_000);
    it.serves = 'three';
    await clock.advance(2_000);

    expect(it.held).toBe('three');
    expect(clock.timers()).toBe(0);
  });

  it('is given up on close', async () => {
    const { clock, it, announced, close } = announcing();
    announced('two');
    await clock.settle();
    close();
    await clock.advance(60_000);

    expect(it.polls).toBe(1);
    expect(clock.timers()).toBe(0);
  });
});

it('an endless stream of events causes ten polls a second at most', async () => {
  const { clock, it: service, announced } = announcing();
  for (let n = 0; n < 5_000; n++) {
    service.serves = `version-${n}`;
    announced(`version-${n}`);
    await clock.advance(1);
  }
  expect(service.polls).toBeLessThanOrEqual(51);
  expect(service.polls).toBeGreaterThan(10);
});
