import { crc32 } from 'node:zlib';
import type { Distribution, Semantics } from './features.js';
import { scalesShares } from './version-differences.js';

type Share = Pick<Distribution, 'rollout'>;

export const BUCKETS = 1_000;
export const ONE_PERCENT = BUCKETS / 100;

export function bucketOf(flagKey: string, entity: string): number {
  return crc32(flagKey + entity) % BUCKETS;
}

/** For threshold rollouts, 0 to 99. Flipt joins the two keys the other way round than for buckets. */
export function percentOf(flagKey: string, entity: string): number {
  return crc32(entity + flagKey) % 100;
}

/** -1 if the bucket belongs to no share, as it can before Flipt 2.9. */
export function positionOf(bucket: number, bounds: readonly number[]): number {
  return bounds.findIndex((bound) => bound > bucket);
}

export function isUndivided(bounds: readonly number[]): boolean {
  return (bounds[0] ?? BUCKETS) >= BUCKETS;
}

export function chosenShare(flagKey: string, entity: string, bounds: readonly number[]): number {
  return isUndivided(bounds) ? 0 : positionOf(bucketOf(flagKey, entity), bounds);
}

// In single precision, as in Flipt, because rounding can move a bound.

export function isUnderThreshold(flagKey: string, entity: string, percentage: number): boolean {
  return percentOf(flagKey, entity) < Math.fround(percentage);
}

export function underThreshold(percentage: number): 'everybody' | 'nobody' | 'some' {
  const bound = Math.fround(percentage);
  if (bound > 99) return 'everybody';
  return bound > 0 ? 'some' : 'nobody';
}

/** A share takes the buckets below its bound that no earlier share takes. */
export function boundsOf(shares: readonly Share[], semantics: Semantics): readonly number[] {
  const rollouts = shares.map(({ rollout }) => rollout);
  return scalesShares(semantics) ? relativeBounds(rollouts) : absoluteBounds(rollouts);
}

export function isSharedEqually(shares: readonly Share[], one: Semantics, other: Semantics): boolean {
  if (scalesShares(one) === scalesShares(other)) return true;
  const limited = (semantics: Semantics) =>
    boundsOf(shares, semantics).map((bound) => Math.min(bound, BUCKETS));
  const others = limited(other);
  return limited(one).every((bound, at) => bound === others[at]);
}

function absoluteBounds(rollouts: readonly number[]): number[] {
  let bound = 0;
  return rollouts.map((rollout) => (bound += Math.trunc(Math.fround(Math.fround(rollout) * ONE_PERCENT))));
}

function relativeBounds(rollouts: readonly number[]): number[] {
  const total = rollouts.reduce((sum, rollout) => Math.fround(sum + Math.fround(rollout)), 0);
  let percent = 0;
  const bounds = rollouts.map((rollout) => {
    const share = Math.fround(Math.fround(Math.fround(rollout) / total) * 100);
    percent = Math.fround(percent + share);
    return Math.trunc(Math.fround(percent * ONE_PERCENT));
  });
  return bounds.length === 0 ? bounds : bounds.with(-1, BUCKETS);
}
