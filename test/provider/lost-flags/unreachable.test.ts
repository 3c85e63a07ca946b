import { describe, expect, it } from 'vitest';
import { fickleFlipt, fickleLife } from './fickle.fixture.js';

/** This is three intervals, after which the watch is lost. */
const LOST_MS = 46_000;
const TRAFFIC = { 'with traffic': ['a', 'b'], 'without traffic': [] } as const;
const TIMES = Object.keys(TRAFFIC) as (keyof typeof TRAFFIC)[];

describe.each(['remote', 'in-process'] as const)('%s, a Flipt that is gone', (evaluation) => {
  it.each(TIMES)('is said by the condition, the problems, the circuit and one event: %s', async (traffic) => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation });
    expect(await life.resolve('a')).toBe('on');
    flipt.state = 'down';
    const answers = await life.passes(LOST_MS, 1_000, TRAFFIC[traffic]);
    expect(life.condition()).toBe('stale');
    expect(life.problems()).toEqual(['unreachable', 'watch-lost']);
    expect(life.lifecycle.status().circuit?.state).toBe('open');
    answers.push(...(await life.passes(LOST_MS, 1_000, TRAFFIC[traffic])));
    expect(life.events).toEqual(['PROVIDER_STALE']);
    flipt.state = 'good';
    await life.passes(20_000, 1_000, TRAFFIC[traffic]);
    expect(life.condition()).toBe('ready');
    expect(life.problems()).toEqual([]);
    expect(life.lifecycle.status().circuit?.state).toBe('closed');
    expect(life.events).toEqual(['PROVIDER_STALE', 'PROVIDER_READY']);
    // One line at its beginning, and one at its end.
    expect(life.lines('warn')).toEqual([
      expect.stringMatching(
        /^Flipt cannot be reached \(.*down\)\. Users keep their flags, from the snapshot of .* UTC$/,
      ),
      'Flipt answers again',
    ]);
    expect(life.lines('error')).toEqual([]);
    expect(answers.filter((answer) => answer !== 'on' && answer !== 'STALE on')).toEqual([]);
  });

  it('is found by one check, and no more than a check each ten seconds', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation, breaker: false });
    flipt.state = 'down';
    await life.passes(LOST_MS);
    expect(life.problems()).toEqual(['unreachable', 'watch-lost']);
    flipt.state = 'good';
    await life.passes(20_000);
    expect(life.condition()).toBe('ready');
  });

  it('is not gone where it answers, and only its snapshot does not come', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation });
    flipt.state = 'unwatchable';
    await life.passes(2 * LOST_MS);
    expect(life.problems()).toEqual(['watch-lost']);
    expect(life.condition()).toBe('stale');
    expect(life.lifecycle.status().circuit?.state).toBe('closed');
    flipt.state = 'good';
    await life.passes(20_000);
    expect(life.condition()).toBe('ready');
    expect(life.events).toEqual(['PROVIDER_STALE', 'PROVIDER_READY']);
  });

  it.each(TIMES)('is as good as gone where it sends a page for everything: %s', async (traffic) => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation });
    flipt.state = 'page';
    await life.passes(LOST_MS, 1_000, TRAFFIC[traffic]);
    expect(life.problems()).toContain('unreachable');
    expect(life.problems()).toContain('watch-lost');
    expect(life.condition()).toBe('stale');
    flipt.state = 'good';
    await life.passes(20_000, 1_000, TRAFFIC[traffic]);
    expect(life.condition()).toBe('ready');
    expect(life.problems()).toEqual([]);
  });
});
