import { crc32 } from 'node:zlib';
import type { Distribution, Semantics } from './features.js';
import { scalesShares } from './version-differences.js';

type Share = Pick<Distribution, 'rollout'>;

/** For each flag, an entity falls into one of 1,000 buckets, which a rule's distributions divide among the variants. */
export const BUCKETS = 1_000;
export const ONE_PERCENT = BUCKETS / 100;

export function bucketOf(flagKey: string, entity: string): number {
  return crc32(flagKey + entity) % BUCKETS;
}

/** The entity's number from 0 to 99 for threshold rollouts. Flipt joins the two keys the other way round than for buckets. */
export function percentOf(flagKey: string, entity: string): number {
  return crc32(entity + flagKey) % 100;
}

/** The position of the first share whose bound is above the bucket, or -1. Before Flipt 2.9, buckets can belong to no share. */
export function positionOf(bucket: number, bounds: readonly number[]): number {
  return bounds.findIndex((bound) => bound > bucket);
}

/** The first share takes all buckets, or there are no shares. */
export function isUndivided(bounds: readonly number[]): boolean {
  return (bounds[0] ?? BUCKETS) >= BUCKETS;
}

export function chosenShare(flagKey: string, entity: string, bounds: readonly number[]): number {
  return isUndivided(bounds) ? 0 : positionOf(bucketOf(flagKey, entity), bounds);
}

// All bounds are computed in single precision, as in Flipt, because rounding can move a bound.

export function isUnderThreshold(flagKey: string, entity: string, percentage: number): boolean {
  return percentOf(flagKey, entity) < Math.fround(percentage);
}

export function underThreshold(percentage: number): 'everybody' | 'nobody' | 'some' {
  const bound = Math.fround(percentage);
  // An entity's number is an integer from 0 to 99.
  if (bound > 99) return 'everybody';
  return bound > 0 ? 'some' : 'nobody';
}

/** The upper bound of each share. A share takes the buckets below its own bound that no earlier share takes. */
export function boundsOf(shares: readonly Share[], semantics: Semantics): readonly number[] {
  const rollouts = shares.map(({ rollout }) => rollout);
  return scalesShares(semantics) ? relativeBounds(rollouts) : absoluteBounds(rollouts);
}

/** Whether two versions of Flipt divide the buckets among these shares in the same way. */
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
