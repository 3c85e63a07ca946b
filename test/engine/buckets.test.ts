import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundsOf, chosenShare, isUnderThreshold } from '../../src/engine/buckets.js';
import type { Distribution, Semantics } from '../../src/engine/features.js';

const share = (variantId: string, rollout: number): { variantId: string; rollout: number } => ({
  variantId,
  rollout,
});

function choose(
  shares: readonly Distribution[],
  flagKey: string,
  entity: string,
  semantics: Semantics,
): Distribution | undefined {
  return shares[chosenShare(flagKey, entity, boundsOf(shares, semantics))];
}

/** An entity in a given bucket, found by trying. */
function entityIn(bucket: number, flagKey = 'flag'): string {
  for (let number = 0; ; number++) {
    if (crc32(`${flagKey}e${number}`) % 1000 === bucket) return `e${number}`;
  }
}

describe('an entity falls to the first share whose upper bound is above its bucket', () => {
  const halves = [share('a', 50), share('b', 50)];

  it.each([
    [0, 'a'],
    [499, 'a'],
    [500, 'b'],
    [999, 'b'],
  ])('bucket %i of two halves: %s', (bucket, chosen) => {
    for (const semantics of ['v1', 'v2'] as const) {
      expect(choose(halves, 'flag', entityIn(bucket), semantics)?.variantId).toBe(chosen);
    }
  });

  it('v1 leaves open what is not shared out, v2 shares it out in proportion', () => {
    const shares = [share('a', 10), share('b', 10)];
    expect(choose(shares, 'flag', entityIn(199), 'v1')?.variantId).toBe('b');
    expect(choose(shares, 'flag', entityIn(200), 'v1')).toBeUndefined();
    expect(choose(shares, 'flag', entityIn(499), 'v2')?.variantId).toBe('a');
    expect(choose(shares, 'flag', entityIn(999), 'v2')?.variantId).toBe('b');
  });

  it('v1 cuts each share to tenths of a percent', () => {
    const shares = [share('a', 33.39), share('b', 33.39)];
    expect(choose(shares, 'flag', entityIn(332), 'v1')?.variantId).toBe('a');
    expect(choose(shares, 'flag', entityIn(333), 'v1')?.variantId).toBe('b');
    expect(choose(shares, 'flag', entityIn(666), 'v1')).toBeUndefined();
  });

  it('a first share of all but a tenth of a percent leaves out the last bucket', () => {
    const shares = [share('a', 99.9), share('b', 0.1)];
    for (const semantics of ['v1', 'v2'] as const) {
      expect(choose(shares, 'flag', entityIn(998), semantics)?.variantId).toBe('a');
      expect(choose(shares, 'flag', entityIn(999), semantics)?.variantId).toBe('b');
    }
  });

  it('v2 leaves nobody out, whatever the shares', () => {
    const rollout = fc.double({ min: 0.001, max: 100, noNaN: true });
    fc.assert(
      fc.property(fc.array(rollout, { minLength: 1, maxLength: 6 }), fc.string(), (rollouts, entity) => {
        const shares = rollouts.map((each, index) => share(String(index), each));
        expect(choose(shares, 'flag', entity, 'v2')).toBeDefined();
      }),
    );
  });
});

describe('a threshold', () => {
  it('holds everybody at 100 percent and nobody at 0', () => {
    // Among so many are entities of each percent.
    for (let number = 0; number < 1_000; number++) {
      expect(isUnderThreshold('flag', `e${number}`, 100)).toBe(true);
      expect(isUnderThreshold('flag', `e${number}`, 0)).toBe(false);
    }
  });

  it('joins the keys the other way round than a share', () => {
    const percent = crc32('entityflag') % 100;
    expect(isUnderThreshold('flag', 'entity', percent)).toBe(false);
    expect(isUnderThreshold('flag', 'entity', percent + 0.5)).toBe(true);
  });

  it('hashes text as UTF-8', () => {
    const percent = crc32(Buffer.from('héé🎈')) % 100;
    expect(isUnderThreshold('é🎈', 'hé', percent)).toBe(false);
    expect(isUnderThreshold('é🎈', 'hé', percent + 1)).toBe(true);
  });
});
