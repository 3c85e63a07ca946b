import { crc32 } from './crc32.js';
import type { Distribution, Semantics } from './features.js';
import { scalesShares } from './version-differences.js';

/** A variant's share in percent, which is above 0. */
type Share = Pick<Distribution, 'rollout'>;

/** Each entity falls into one of this many buckets, which the distributions of a rule divide among variants. */
export const BUCKETS = 1_000;
/** This many buckets are one percent. */
export const ONE_PERCENT = BUCKETS / 100;

/**
 * Returns the bucket of an entity, from 0 to 999. A rule chooses the variant for an entity by the bucket of the entity.
 */
export function bucketOf(flagKey: string, entity: string): number {
  return crc32(entity, crc32(flagKey)) % BUCKETS;
}

/**
 * Returns the percent of an entity, from 0 to 99, which a threshold compares with its percentage. The checksum for a
 * percent begins with the entity, whereas the checksum for a bucket begins with the flag's key.
 */
export function percentOf(flagKey: string, entity: string): number {
  return crc32(flagKey, crc32(entity)) % 100;
}

/**
 * Prepares the choice among a rule's shares. The returned function gives the position of the first share whose upper
 * bound is above the entity's bucket. The function gives -1 for an entity whose bucket no share takes, because the
 * shares need not take all buckets. The function gives 0 if the choice is the same for all entities.
 */
export function sharing(flagKey: string, shares: readonly Share[], semantics: Semantics) {
  const bounds = boundsOf(shares, semantics);
  if (isUndivided(bounds)) return () => 0;
  const prefix = crc32(flagKey);
  return (entity: string) => positionOf(crc32(entity, prefix) % BUCKETS, bounds);
}

/** Returns the position of the first bound above the bucket, or -1. */
export function positionOf(bucket: number, bounds: readonly number[]): number {
  return bounds.findIndex((bound) => bound > bucket);
}

/**
 * Returns whether all buckets get the same variant, because the first share takes all buckets or because there are no
 * shares.
 */
export function isUndivided(bounds: readonly number[]): boolean {
  return (bounds[0] ?? BUCKETS) >= BUCKETS;
}

// The service computes all bounds in single precision. Rounding can move a bound, so the functions below do the same.

/** Prepares a threshold in percent. The returned function says whether an entity is under the threshold. */
export function threshold(flagKey: string, percentage: number): (entity: string) => boolean {
  if (underThreshold(percentage) === 'everybody') return () => true;
  const bound = Math.fround(percentage);
  return (entity) => percentOf(flagKey, entity) < bound;
}

/** Returns which entities are under a threshold in percent, whatever the flag's key is. */
export function underThreshold(percentage: number): 'everybody' | 'nobody' | 'some' {
  const bound = Math.fround(percentage);
  // An entity's percent is an integer from 0 to 99.
  if (bound > 99) return 'everybody';
  return bound > 0 ? 'some' : 'nobody';
}

/** Returns the upper bounds of shares, as numbers of buckets. */
export function boundsOf(shares: readonly Share[], semantics: Semantics): readonly number[] {
  const rollouts = shares.map(({ rollout }) => rollout);
  return scalesShares(semantics) ? relativeBounds(rollouts) : absoluteBounds(rollouts);
}

/** Returns whether both semantics divide these shares in the same way. */
export function isSharedEqually(shares: readonly Share[], one: Semantics, other: Semantics): boolean {
  if (scalesShares(one) === scalesShares(other)) return true;
  const bounds = boundsOf(shares, one);
  // No entity is in a bucket beyond the last one, so that higher bounds make no difference.
  return boundsOf(shares, other).every((bound, at) => bound === Math.min(bounds[at] ?? 0, BUCKETS));
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
