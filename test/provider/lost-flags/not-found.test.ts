import { describe, expect, it } from 'vitest';
import { fickleFlipt, fickleLife } from './fickle.fixture.js';

const MINUTE = 60_000;

/** Flipt has served a snapshot, and then serves none any more, though it answers questions. Its flag "a" is gone. */
async function gone(options = {}) {
  const flipt = fickleFlipt();
  const life = await fickleLife(flipt, options);
  expect(await life.resolve('a')).toBe('on');
  flipt.state = 'unwatchable';
  flipt.unknown = ['a'];
  return { flipt, life };
}

describe('a flag of the snapshot that Flipt does not know', () => {
  it('keeps its value as long as Flipt confirms the snapshot, as one of several does that differ', async () => {
    const { flipt, life } = await gone();
    flipt.state = 'good';
    const during = await life.passes(90 * MINUTE, MINUTE, ['a']);
    expect(new Set(during)).toEqual(new Set(['STALE on']));
  });

  it('keeps its value while polls fail for good, and the problem says why', async () => {
    const { life } = await gone();
    const during = await life.passes(180 * MINUTE, MINUTE, ['a']);
    expect(new Set(during)).toEqual(new Set(['STALE on']));
    expect(await life.resolve('b')).toBe('on');
    expect(life.problems()).toEqual(['watch-lost']);
    expect(life.lines('warn')).toEqual([
      expect.stringMatching(/^The provider cannot see changes of flags at present/),
    ]);
  });

  it('keeps its value where Flipt comes back without flags after a longer outage', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt);
    await life.resolve('a');
    flipt.state = 'down';
    await life.passes(90 * MINUTE, MINUTE);
    flipt.state = 'unknown';
    const during = await life.passes(MINUTE, 500, ['a', 'b']);
    expect(new Set(during)).toEqual(new Set(['STALE on']));
  });
});
