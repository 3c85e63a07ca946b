import { describe, expect, it } from 'vitest';
import { manualClock } from '../../clock.fixture.js';
import { bodyJson, reply } from '../fetched.fixture.js';
import { POLL_MS, watching } from './watched.fixture.js';

const VERSIONS = {
  A: { sale: true, banner: false, other: true },
  B: { sale: false, banner: true, other: true },
  C: { sale: true, banner: true, other: true },
} as const;

/** Polls a service that serves these versions one after another; a small letter has another tag, and the same flags. */
async function polled(versions: string) {
  const clock = manualClock();
  let polls = 0;
  const { watch, reported, changed } = watching(({ headers }) => {
    const letter = versions[polls++] ?? '';
    if (headers?.['if-none-match'] === letter) return Promise.resolve(reply(304));
    const flags = VERSIONS[letter.toUpperCase() as keyof typeof VERSIONS];
    return Promise.resolve(reply(200, bodyJson(flags), { etag: letter }));
  }, clock);
  await clock.settle();
  for (let poll = 1; poll < versions.length; poll++) await clock.advance(POLL_MS);
  watch.close();
  const events = reported.filter(({ type }) => type === 'versions-alternate');
  return { events, changed: changed().length };
}

describe('two versions that alternate', () => {
  it('are reported once, with the flags that change, and each of them is taken as it comes', async () => {
    expect(await polled('ABAB')).toMatchObject({ events: [], changed: 3 });
    const event = { type: 'versions-alternate', flags: ['banner', 'sale'] };
    expect(await polled('ABABA')).toEqual({ events: [event], changed: 4 });
    expect(await polled('AB'.repeat(30))).toEqual({ events: [event], changed: 59 });
  });

  it.each([
    ['which polls meet at random', 'AABBABBBBA', 1],
    ['among other changes', 'ABACABABA', 1],
    ['and are reported again after ten polls without that', `ABABA${'A'.repeat(10)}BABAB`, 2],
    ['and stop for a shorter time', `ABABA${'A'.repeat(8)}BABAB`, 1],
  ])('are reported, %s', async (_what, versions, times) => {
    expect((await polled(versions)).events).toHaveLength(times);
  });

  it.each([
    ['a change that is undone, and made again', 'AABBAABB'],
    ['three of them in more than ten polls', `AB${'B'.repeat(4)}A${'A'.repeat(4)}B${'B'.repeat(4)}A`],
    ['three versions in turn', 'ABCABCABC'],
    ['tags that alternate for the same flags', 'AaAaAaAaAa'],
  ])('are not %s', async (_what, versions) => {
    expect((await polled(versions)).events).toEqual([]);
  });
});
