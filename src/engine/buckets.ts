import { crc32 } from './crc32.js';
import type { Distribution, Semantics } from './features.js';
import { scalesShares } from './version-differences.js';

/** A distribution of a rule whose percentage (`rollout`) is above 0. */
type Share = Pick<Distribution, 'rollout'>;

/**
 * For each flag, an entity falls into one of 1,000 buckets. The distributions of a rule divide the buckets among the
 * variants.
 */
export const BUCKETS = 1_000;
/** The number of buckets that make up one percent of all buckets. */
export const ONE_PERCENT = BUCKETS / 100;

/**
 * Returns the bucket of an entity, from 0 to 999. A rule chooses the variant for an entity by the bucket of the entity.
 */
export function bucketOf(flagKey: string, entity: string): number {
  return crc32(entity, crc32(flagKey)) % BUCKETS;
}

/**
 * Returns the entity's number from 0 to 99. A threshold rollout applies to an entity if the entity's number is below
 * the percentage of the rollout. As in Flipt, `percentOf` computes the checksum of the entity's id followed by the
 * flag's key, whereas `bucketOf` computes the checksum of the flag's key followed by the entity's id.
 */
export function percentOf(flagKey: string, entity: string): number {
  return crc32(flagKey, crc32(entity)) % 100;
}

/**
 * Returns a function that chooses one of a rule's shares for an entity. The returned function gives the position of the
 * first share whose upper bound is above the entity's bucket. The returned function gives -1 if the entity's bucket
 * belongs to no share, which is possible before Flipt 2.9, for example if the shares add up to less than 100 %. If the
 * first share takes all buckets, or if there are no shares, the returned function always gives 0.
 */
export function sharing(flagKey: string, shares: readonly Share[], semantics: Semantics) {
  const bounds = boundsOf(shares, semantics);
  if (isUndivided(bounds)) return () => 0;
  const prefix = crc32(flagKey);
  return (entity: string) => positionOf(crc32(entity, prefix) % BUCKETS, bounds);
}

/** Returns the position of the first bound that is above the bucket, or -1 if no bound is above the bucket. */
export function positionOf(bucket: number, bounds: readonly number[]): number {
  return bounds.findIndex((bound) => bound > bucket);
}

/** Returns whether the first share takes all buckets. If there are no shares, the result is `true`, too. */
export function isUndivided(bounds: readonly number[]): boolean {
  return (bounds[0] ?? BUCKETS) >= BUCKETS;
}

// The functions below compute all bounds in single precision, as Flipt does, because rounding can move a bound.

/** Returns a function that says whether a threshold rollout applies to an entity. */
export function threshold(flagKey: string, percentage: number): (entity: string) => boolean {
  if (underThreshold(percentage) === 'everybody') return () => true;
  const bound = Math.fround(percentage);
  return (entity) => percentOf(flagKey, entity) < bound;
}

/** Returns whether a threshold rollout with this percentage can apply to all entities, to some of them, or to none. */
export function underThreshold(percentage: number): 'everybody' | 'nobody' | 'some' {
  const bound = Math.fround(percentage);
  // The number that `percentOf` gives to an entity is an integer from 0 to 99.
  if (bound > 99) return 'everybody';
  return bound > 0 ? 'some' : 'nobody';
}

/** Returns the upper bound of each share. A share takes the buckets below its own bound that no earlier share takes. */
export function boundsOf(shares: readonly Share[], semantics: Semantics): readonly number[] {
  const rollouts = shares.map(({ rollout }) => rollout);
  return scalesShares(semantics) ? relativeBounds(rollouts) : absoluteBounds(rollouts);
}

/** Returns whether two versions of Flipt divide the buckets among the shares of a rule in the same way. */
export function isSharedEqually(shares: readonly Share[], one: Semantics, other: Semantics): boolean {
  if (scalesShares(one) === scalesShares(other)) return true;
  // A bound above 1,000 has the same effect as the bound 1,000, because the highest bucket is 999.
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
