import { boundsOf, BUCKETS, positionOf } from '../engine/buckets.js';
import type { Semantics } from '../engine/features.js';
import { sharesIn } from '../engine/parts-in-force.js';
import type { CheckedFlag } from '../features/document-schema.js';

/**
 * How a rule divides its entities at run time: the share of each variant that somebody gets, by its key, and of those
 * who get the flag's default variant, by `undefined`. In percent, with one decimal: the service has 1,000 buckets.
 */
export function sharesOf(distributions: CheckedFlag['rules'][number]['distributions'], semantics: Semantics) {
  const effective = sharesIn(distributions);
  const bounds = boundsOf(effective, semantics);
  const buckets = new Map<string | undefined, number>();
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const variant = effective[positionOf(bucket, bounds)]?.variant;
    buckets.set(variant, (buckets.get(variant) ?? 0) + 1);
  }
  return new Map(Array.from(buckets, ([variant, count]) => [variant, count / 10]));
}
