import { describe, expect, it } from 'vitest';
import { boundsOf, isSharedEqually } from '../../src/engine/buckets.js';
import { semanticsOfRelease } from '../../src/engine/version-differences.js';

const sharesOf = (rollouts: readonly number[]) => rollouts.map((rollout) => ({ rollout }));

describe('the rules of a release', () => {
  it.each([
    ['v2.0.0', 'v2.8'],
    ['2.8.0', 'v2.8'],
    ['v2.8.17-rc.1', 'v2.8'],
    ['v2.9.0', 'v2'],
    ['v2.10.0', 'v2'],
    ['v2.11.0', 'v2'],
    ['v3.1.0', 'v2'],
    // A snapshot of v1 shows that it is v1. No release of v1 writes one of v2.
    ['v1.61.1', 'v2'],
    ['dev', 'v2'],
    ['', 'v2'],
    [undefined, 'v2'],
  ])('%s: %s', (version, semantics) => {
    expect(semanticsOfRelease(version)).toBe(semantics);
  });
});

describe('percentages', () => {
  it.each([
    [
      [50, 25],
      [500, 750],
      [666, 1000],
    ],
    [
      [33.33, 33.33, 33.34],
      [333, 666, 999],
      [333, 666, 1000],
    ],
    [
      [50, 50],
      [500, 1000],
      [500, 1000],
    ],
    [
      [80, 40],
      [800, 1200],
      [666, 1000],
    ],
  ])('%j are added up before 2.9, and scaled from then on', (rollouts, before, since) => {
    expect(boundsOf(sharesOf(rollouts), 'v1')).toEqual(before);
    expect(boundsOf(sharesOf(rollouts), 'v2.8')).toEqual(before);
    expect(boundsOf(sharesOf(rollouts), 'v2')).toEqual(since);
  });

  it.each([
    [[], true],
    [[100], true],
    [[50, 50], true],
    [[0.19, 100], true],
    [[100, 100], false],
    [[50, 25], false],
    [[33.33, 33.33, 33.34], false],
  ])('%j are shared equally by both rules: %s', (rollouts, isSame) => {
    expect(isSharedEqually(sharesOf(rollouts), 'v2.8', 'v2')).toBe(isSame);
    expect(isSharedEqually(sharesOf(rollouts), 'v2', 'v2.8')).toBe(isSame);
    expect(isSharedEqually(sharesOf(rollouts), 'v2.8', 'v1')).toBe(true);
  });
});
