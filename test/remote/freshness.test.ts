import { describe, expect, it } from 'vitest';
import {
  freshnessOf,
  type Freshness,
  type FreshnessSettings,
  type Sureness,
} from '../../src/remote/freshness.js';

const SETTINGS = { freshForMs: 100, staleForMs: 50, staleOnErrorForMs: 1000, negativeForMs: 10 };

const NOW = 50_000;
const freshness = (
  kind: 'boolean' | 'variant' | 'missing',
  ageMs: number,
  settings: FreshnessSettings,
  sureness?: Sureness,
) =>
  freshnessOf(
    { answer: { kind }, at: NOW - ageMs, untilChange: sureness !== undefined },
    NOW,
    settings,
    () => sureness,
  );

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

describe('an answer that the snapshot confirms', () => {
  const SURE = { sureForMs: 1, maxAgeMs: 10_000 };

  it.each([
    ['stays fresh', 9_999, SURE, 'fresh'],
    ['is stale at maxAgeMs', 10_000, SURE, 'stale'],
    ['follows its age when it has been stale for its time', 10_050, SURE, 'gone'],
    ['is stale when the watch is lost', 500, { ...SURE, sureForMs: 0 }, 'stale'],
    ['is stale for its time', 500, { ...SURE, sureForMs: -49 }, 'stale'],
    ['follows its age when the watch was lost longer ago', 500, { ...SURE, sureForMs: -50 }, 'last-known'],
    ['follows its age without a watch', 149, undefined, 'stale'],
  ] as const)('%s', (_what, ageMs, sureness, expected) => {
    expect(freshness('boolean', ageMs, SETTINGS, sureness)).toBe(expected);
  });

  it('may also be that the flag is missing, but then it is never stale', () => {
    expect(freshness('missing', 5_000, SETTINGS, SURE)).toBe('fresh');
    expect(freshness('missing', 500, SETTINGS, { ...SURE, sureForMs: 0 })).toBe('last-known');
  });
});
