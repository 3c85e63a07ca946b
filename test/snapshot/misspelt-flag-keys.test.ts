import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { MisspeltKeys } from '../../src/snapshot/answers.js';
import { distance } from '../../src/base/text/closest-name.js';
import { manualClock } from '../clock.fixture.js';

const snapshotOf = (keys: ReadonlySet<string>) => ({ flags: { keys: () => keys } });

async function suggestions(missing: readonly string[], known: readonly string[]) {
  const clock = manualClock();
  const found: string[] = [];
  const keys = new MisspeltKeys(
    () => snapshotOf(new Set(known)),
    (key, like) => found.push(`${key} → ${like}`),
    clock,
  );
  for (const key of missing) keys.missing(key);
  await clock.settle();
  return found;
}

describe('a missing key', () => {
  it.each([
    ['new-chekout', 1],
    ['NewCheckout', 0],
    ['new_checkout', 1],
    ['banner2', 1],
    ['other', 0],
    ['ab', 0],
    ['', 0],
  ])('%s is close to so many flags: %i', async (key, expected) => {
    expect(await suggestions([key], ['new-checkout', 'banner', 'zz'])).toHaveLength(expected);
  });

  it('is taken for the closest flag, and suggested once', async () => {
    expect(await suggestions(['banne', 'banne'], ['banner12', 'banner', 'banners'])).toEqual([
      'banne → banner',
    ]);
  });

  it('is suggested for 20 keys at most', async () => {
    const missing = Array.from({ length: 50 }, (_, at) => `banner-${at}`);
    expect(await suggestions(missing, ['banner-00'])).toHaveLength(20);
  });
});

it('is compared with the others after the turn of the resolve', async () => {
  const clock = manualClock();
  const keys = vi.fn(() => ['banner'].values());
  const known = { has: () => false, size: 1, keys } as unknown as ReadonlySet<string>;
  const found = vi.fn<(key: string, like: string) => void>();
  new MisspeltKeys(() => snapshotOf(known), found, clock).missing('baner');
  await Promise.resolve();
  expect(found).not.toHaveBeenCalled();
  await clock.settle();
  expect(found.mock.calls).toEqual([['baner', 'banner']]);
});

describe('the distance', () => {
  it('reads long texts only a few times', () => {
    const long = 'x'.repeat(1_000_000);
    expect(distance(`a${long}`, `${long}b`, 2)).toBe(2);
    expect(distance(`abc${long}`, `${long}def`, 2)).toBe(3);
  });

  it('is that of Levenshtein, up to the limit', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(text, text, fc.nat({ max: 3 }), (one, other, limit) => {
        expect(distance(one, other, limit)).toBe(Math.min(plain(one, other), limit + 1));
      }),
    );
  });
});

function plain(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length;
  const [first, second] = [one.slice(1), other.slice(1)];
  if (one.startsWith(other.charAt(0))) return plain(first, second);
  return 1 + Math.min(plain(first, other), plain(one, second), plain(first, second));
}
