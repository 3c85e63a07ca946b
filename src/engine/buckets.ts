import { crc32 } from 'node:zlib';
import type { Distribution, Semantics } from './features.js';

const BUCKETS = 1000;

/**
 * The distribution that an entity falls to; undefined past the last share, which only v1 leaves open.
 * `shares` have rollouts above 0.
 */
export function choose(
  shares: readonly Distribution[],
  flagKey: string,
  entity: string,
  semantics: Semantics,
): Distribution | undefined {
  const bucket = crc32(flagKey + entity) % BUCKETS;
  const bounds = semantics === 'v1' ? absoluteBounds(shares) : relativeBounds(shares);
  return shares[bounds.findIndex((bound) => bound > bucket)];
}

/** Whether an entity is under a threshold in percent. The service joins the keys the other way round here. */
export function underThreshold(percentage: number, flagKey: string, entity: string): boolean {
  return crc32(entity + flagKey) % 100 < Math.fround(percentage);
}

// The service computes both in single precision, and a bound may depend on it.

function absoluteBounds(shares: readonly Distribution[]): number[] {
  let bound = 0;
  return shares.map(({ rollout }) => (bound += Math.trunc(Math.fround(Math.fround(rollout) * 10))));
}

function relativeBounds(shares: readonly Distribution[]): number[] {
  const total = shares.reduce((sum, { rollout }) => Math.fround(sum + Math.fround(rollout)), 0);
  let percent = 0;
  const bounds = shares.map(({ rollout }) => {
    const share = Math.fround(Math.fround(Math.fround(rollout) / total) * 100);
    percent = Math.fround(percent + share);
    return Math.trunc(Math.fround(percent * 10));
  });
  return bounds.with(-1, BUCKETS);
}
