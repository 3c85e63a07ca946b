import { describe, expect, it } from 'vitest';
import { held } from '../held.fixture.js';

const flags = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

/** So many searches that 32 of their requests are under way. */
async function grown() {
  const layers = held({ maxItems: 16 });
  const { clock, ask, end, searches } = layers;
  const batch = async (prefix: string) => {
    await ask(...flags(prefix, 16));
    await ask('other');
    await end('other');
    await end(`${prefix}0`, 400);
  };
  /** How many there are after one more has ended. */
  const underWay = async (after: number) => {
    await clock.advance(after);
    const [part] = searches();
    await end(part?.[0] ?? '', 400);
    return searches().length;
  };
  for (const prefix of 'abcdefghij') await batch(prefix);
  for (let at = 8; at < 32; at++) expect(await underWay(0)).toBe(at + 1);
  return { ...layers, underWay };
}

describe('all searches', () => {
  it('share 8 requests at once, and one more after each quick response', async () => {
    const { clock, ask, end, searches } = held({ maxItems: 4 });
    await ask(...flags('a', 4), ...flags('b', 4), ...flags('c', 4), 'other');
    await end('other');
    for (const first of ['a0', 'b0', 'c0']) await end(first, 400);
    expect(searches()).toEqual([...flags('a', 4), ...flags('b', 4)].map((flag) => [flag]));
    await clock.advance(200);
    await end('a1');
    expect(searches()).toEqual(['a0', 'a2', 'a3', ...flags('b', 4), 'c0', 'c1'].map((flag) => [flag]));
  });

  it('ask half as many at once after a slow response, once per round trip', async () => {
    const { underWay } = await grown();
    expect(await underWay(201)).toBe(31);
    for (let at = 31; at > 16; at--) expect(await underWay(0)).toBe(at - 1);
    expect(await underWay(0)).toBe(16);
  });

  it('ask as many as before after a slow response if a later request was answered quickly', async () => {
    const { clock, ask, end, underWay } = await grown();
    await clock.advance(1);
    await ask('other');
    await end('other');
    expect(await underWay(200)).toBe(32);
  });

  it('wait in a line of 128 requests at least: the questions of the others fail at once', async () => {
    const { ask, end, searches, outcomes } = held({ maxItems: 4, maxConcurrent: 40 });
    const batches = Array.from({ length: 35 }, (_, at) => flags(`${at}-`, 4));
    await ask(...batches.flat(), 'other');
    await end('other');
    for (const [first] of batches) await end(first!, 400);
    expect(searches()).toHaveLength(8);
    expect(outcomes).toEqual(['other ok', ...flags('34-', 4).map((flag) => `${flag} failed`)]);
  });
});
