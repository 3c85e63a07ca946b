import { crc32 } from './crc32.js';
import type { Semantics } from './features.js';
import { scalesShares } from './rules-of-version.js';

const BUCKETS = 1000;

/** The bucket of an entity, from 0 to 999, by which a rule's distributions share out its variants. */
export function bucketOf(flagKey: string, entity: string): number {
  return crc32(entity, crc32(flagKey)) % BUCKETS;
}

/** The percent of an entity, from 0 to 99, that a threshold looks at. Here the entity comes first. */
export function percentOf(flagKey: string, entity: string): number {
  return crc32(flagKey, crc32(entity)) % 100;
}

/**
 * Prepares the choice among rollouts in percent, all above 0. It answers with the position of the first one whose
 * upper bound is above the entity's bucket, or with -1 past the last bound, if the rules leave that open.
 */
export function sharing(
  flagKey: string,
  rollouts: readonly number[],
  semantics: Semantics,
): (entity: string) => number {
  const bounds = boundsOf(rollouts, semantics);
  if ((bounds[0] ?? 0) >= BUCKETS) return () => 0;
  const prefix = crc32(flagKey);
  return (entity) => {
    const bucket = crc32(entity, prefix) % BUCKETS;
    return bounds.findIndex((bound) => bound > bucket);
  };
}

/** Prepares a threshold in percent: whether an entity is under it. */
export function threshold(flagKey: string, percentage: number): (entity: string) => boolean {
  const bound = thresholdBound(percentage);
  if (bound > 99) return () => true;
  return (entity) => percentOf(flagKey, entity) < bound;
}

// The service computes all bounds in single precision, and a bound may depend on it.

/** An entity's percent is under it, or not. */
export function thresholdBound(percentage: number): number {
  return Math.fround(percentage);
}

/** The upper bounds of rollouts in percent, in buckets. */
export function boundsOf(rollouts: readonly number[], semantics: Semantics): readonly number[] {
  return scalesShares(semantics) ? relativeBounds(rollouts) : absoluteBounds(rollouts);
}

/** Whether rollouts in percent are shared out in the same way by both rules. */
export function isSharedEqually(rollouts: readonly number[], one: Semantics, other: Semantics): boolean {
  if (rollouts.length === 0 || scalesShares(one) === scalesShares(other)) return true;
  const bounds = boundsOf(rollouts, one);
  // No entity is in a bucket beyond the last one.
  return boundsOf(rollouts, other).every((bound, at) => bound === Math.min(bounds[at] ?? 0, BUCKETS));
}

function absoluteBounds(rollouts: readonly number[]): number[] {
  let bound = 0;
  return rollouts.map((rollout) => (bound += Math.trunc(Math.fround(Math.fround(rollout) * 10))));
}

function relativeBounds(rollouts: readonly number[]): number[] {
  const total = rollouts.reduce((sum, rollout) => Math.fround(sum + Math.fround(rollout)), 0);
  let percent = 0;
  const bounds = rollouts.map((rollout) => {
    const share = Math.fround(Math.fround(Math.fround(rollout) / total) * 100);
    percent = Math.fround(percent + share);
    // Rollouts too small for single precision add up to a total of 0.
    return Number.isNaN(percent) ? 0 : Math.trunc(Math.fround(percent * 10));
  });
  return bounds.with(-1, BUCKETS);
}
