import { describe, expect, it } from 'vitest';
import { fickleFlipt, fickleLife, LOSSES, WITHOUT_FLAGS } from './fickle.fixture.js';

/** This is 1.2 intervals, so that a poll comes within this time. */
const POLL_MS = 18_000;
const HOUR_MS = 3_600_000;
const TRAFFIC = { 'with traffic': ['a', 'b'], 'without traffic': [] } as const;
const TIMES = Object.keys(TRAFFIC) as (keyof typeof TRAFFIC)[];

it.each([
  [
    'more than half of ten flags',
    10,
    4,
    ['More than half of the flags are gone from Flipt, 6 of 10: "f5", "f6", "f7", "f8", "f9", "f10"'],
  ],
  ['more than ten', 30, 1, [expect.stringMatching(/, 29 of 30: "f2", .*, "f11" and 19 more$/)]],
  ['half of ten flags', 10, 5, []],
  ['nearly all of nine flags', 9, 1, []],
])('takes a snapshot that has lost %s', async (_what, before, after, warnings) => {
  const flipt = fickleFlipt();
  const keys = Array.from({ length: before }, (_key, at) => `f${at + 1}`);
  flipt.flags = keys;
  const life = await fickleLife(flipt, {});
  flipt.flags = keys.slice(0, after);
  await life.passes(2 * POLL_MS);
  expect(life.lines('warn')).toEqual(warnings);
  expect(await life.resolve(`f${before}`)).toBe('FLAG_NOT_FOUND');
  expect(await life.resolve('f1')).toBe('on');
  expect(life.problems()).toEqual([]);
});

describe.each(LOSSES)('%s, a Flipt that has lost its flags (%s)', (evaluation, lost) => {
  it.each(TIMES)('keeps them, is STALE within one poll, and READY within one: %s', async (traffic) => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation });
    expect(await life.resolve('a')).toBe('on');
    flipt.state = lost;
    const during = await life.passes(POLL_MS, 1_000, TRAFFIC[traffic]);
    expect(life.condition()).toBe('stale');
    expect(life.problems()).toEqual(['flags-lost']);
    during.push(...(await life.passes(10 * POLL_MS, 2_000, TRAFFIC[traffic])));
    expect(life.condition()).toBe('stale');
    expect(life.problems()).toEqual(['flags-lost', 'watch-lost']);
    expect(life.lines('error')).toHaveLength(1);
    expect(life.lines('error')[0]).toContain('provider.invalidate()');
    expect(life.lines('warn').filter((line) => line.includes('check the options'))).toEqual([]);
    expect(await life.resolve('a')).toBe('STALE on');
    expect(await life.resolve('nonexistent')).toBe('FLAG_NOT_FOUND');
    flipt.state = 'good';
    during.push(...(await life.passes(POLL_MS, 1_000, TRAFFIC[traffic])));
    expect(life.condition()).toBe('ready');
    expect(life.problems()).toEqual([]);
    expect(life.lines('warn')).toContain('Flipt serves flags again');
    expect(await life.resolve('a')).toBe('on');
    expect(during.filter((answer) => answer !== 'on' && answer !== 'STALE on')).toEqual([]);
    expect(life.events.filter((event) => event !== 'PROVIDER_CONFIGURATION_CHANGED')).toEqual([
      'PROVIDER_STALE',
      'PROVIDER_READY',
    ]);
    expect(life.events).not.toContain('PROVIDER_CONFIGURATION_CHANGED');
    // The status is up to date when an event comes.
    expect(life.seen).toEqual(['stale flags-lost', 'ready']);
  });

  it('is not asked for flags that it has lost, also where nothing is known of a user', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation });
    flipt.state = lost;
    await life.passes(POLL_MS);
    const before = flipt.asked.length;
    await life.passes(POLL_MS, 1_000, ['a', 'b']);
    expect(flipt.asked).toHaveLength(before);
    expect(await life.resolve('c')).toBe('FLAG_NOT_FOUND');
  });

  it('says so each time that it begins', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation });
    for (const state of [lost, 'good', lost] as const) {
      flipt.state = state;
      await life.passes(POLL_MS);
    }
    expect(life.lines('error')).toHaveLength(2);
  });

  it('has meant it once invalidate() asks', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation });
    flipt.state = lost;
    await life.passes(POLL_MS);
    // That some flags have changed is another matter.
    life.lifecycle.forget(['a']);
    await life.clock.settle();
    expect(await life.resolve('a')).toBe('STALE on');
    life.lifecycle.forget();
    await life.clock.settle();
    expect(await life.resolve('a')).toBe('FLAG_NOT_FOUND');
    expect(life.condition()).toBe('ready');
    // What is empty may become unknown, and back.
    for (const state of WITHOUT_FLAGS) {
      flipt.state = state;
      await life.passes(2 * POLL_MS);
      expect(life.problems()).toEqual([]);
    }
    expect(await life.resolve('a')).toBe('FLAG_NOT_FOUND');
    flipt.state = 'good';
    await life.passes(POLL_MS);
    expect(await life.resolve('a')).toBe('on');
  });

  it('has meant it after cache.staleOnErrorForMs', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation });
    flipt.state = lost;
    await life.passes(HOUR_MS - POLL_MS, 5_000);
    expect(await life.resolve('a')).toBe('STALE on');
    await life.passes(3 * POLL_MS);
    expect(await life.resolve('a')).toBe('FLAG_NOT_FOUND');
    expect(life.problems()).toEqual([]);
    expect(life.condition()).toBe('ready');
  });

  it('is taken as meant at once by a start without a saved snapshot, and when an app says so', async () => {
    const flipt = fickleFlipt();
    flipt.state = lost;
    const life = await fickleLife(flipt, { evaluation });
    await life.passes(2 * POLL_MS);
    expect(await life.resolve('a')).toBe('FLAG_NOT_FOUND');
    expect(life.problems()).toEqual([]);
    flipt.state = 'good';
    const trusting = await fickleLife(flipt, { evaluation, cache: { staleOnErrorForMs: 0 } });
    flipt.state = lost;
    await trusting.passes(POLL_MS);
    expect(await trusting.resolve('a')).toBe('FLAG_NOT_FOUND');
  });
});
