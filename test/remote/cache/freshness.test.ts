import { describe, expect, it } from 'vitest';
import { freshness, type Freshness } from '../../../src/remote/cache/freshness.js';

const SETTINGS = { freshForMs: 100, staleForMs: 50, staleOnErrorForMs: 1000, negativeForMs: 10 };

describe('an answer', () => {
  it.each<[number, Freshness]>([
    [0, 'fresh'],
    [99.9, 'fresh'],
    [100, 'stale'],
    [149.9, 'stale'],
    [150, 'last-known'],
    [1149.9, 'last-known'],
    [1150, 'gone'],
  ])('of %s ms is %s', (ageMs, expected) => {
    expect(freshness('boolean', ageMs, SETTINGS)).toBe(expected);
    expect(freshness('variant', ageMs, SETTINGS)).toBe(expected);
  });

  it.each<[number, Freshness]>([
    [9.9, 'fresh'],
    [10, 'last-known'],
    [1009.9, 'last-known'],
    [1010, 'gone'],
  ])(
    'that a flag is missing, of %s ms, is %s: it is never served while a refresh runs',
    (ageMs, expected) => {
      expect(freshness('missing', ageMs, SETTINGS)).toBe(expected);
    },
  );

  it('is never fresh, stale or kept if those times are zero', () => {
    const never = { freshForMs: 0, staleForMs: 0, staleOnErrorForMs: 0, negativeForMs: 0 };
    expect(freshness('boolean', 0, never)).toBe('gone');
    expect(freshness('missing', 0, never)).toBe('gone');
    expect(freshness('boolean', 0, { ...never, staleForMs: 1 })).toBe('stale');
    expect(freshness('boolean', 0, { ...never, staleOnErrorForMs: 1 })).toBe('last-known');
  });
});
