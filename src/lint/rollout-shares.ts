import { boundsOf } from '../engine/buckets.js';
import type { Semantics } from '../engine/features.js';
import type { CheckedFlag } from '../features/document-schema.js';

const BUCKETS = 1000;

/**
 * How a rule divides its entities at run time: the share of each variant that somebody gets, by its key, and of those
 * who get the flag's default variant, by `undefined`. In percent, with one decimal: the service has 1,000 buckets.
 */
export function sharesOf(distributions: CheckedFlag['rules'][number]['distributions'], semantics: Semantics) {
  const effective = distributions.filter(({ rollout }) => Math.fround(rollout) > 0);
  const rollouts = effective.map(({ rollout }) => rollout);
  const bounds = rollouts.length === 0 ? [] : boundsOf(rollouts, semantics);
  const buckets = new Map<string | undefined, number>();
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const variant = effective[bounds.findIndex((bound) => bound > bucket)]?.variant;
    buckets.set(variant, (buckets.get(variant) ?? 0) + 1);
  }
  return new Map(Array.from(buckets, ([variant, count]) => [variant, count / 10]));
}
