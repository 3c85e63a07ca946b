import { describe, expect, it } from 'vitest';
import { differencesFrom, judgedDocuments, knownDifferences, SERVERS } from './refusals.fixture.js';

const JUDGED = judgedDocuments();

describe('what real servers refused is refused here, and nothing else', () => {
  it('with enough documents, and with verdicts of both kinds of each server', () => {
    expect(JUDGED.length).toBeGreaterThan(300);
    expect(new Set(JUDGED.map(({ name }) => name)).size).toBe(JUDGED.length);
    for (const server of Object.keys(SERVERS)) {
      expect(JUDGED.filter(({ takenBy }) => takenBy.includes(server)).length).toBeGreaterThan(100);
      expect(JUDGED.filter(({ refusedBy }) => refusedBy.includes(server)).length).toBeGreaterThan(100);
    }
  });

  it.each(Object.keys(SERVERS))('%s', async (server) => {
    const known = knownDifferences().filter((line) => line.startsWith(`${server} `));
    expect(await differencesFrom(server)).toEqual(known);
  });
});
