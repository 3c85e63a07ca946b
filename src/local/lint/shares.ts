import { boundsOf } from '../../engine/buckets.js';
import type { Semantics } from '../../engine/features.js';

const BUCKETS = 1000;

/** How a rule divides its entities. All shares are in percent, with one decimal: the service has 1,000 buckets. */
export interface Shares {
  /** Of each variant that somebody gets, by its key. */
  readonly ofVariants: ReadonlyMap<string, number>;
  /** Of those who get the flag's default variant. */
  readonly rest: number;
}

interface Distribution {
  readonly variant: string;
  readonly rollout: number;
}

/** What the distributions of a rule give at run time. */
export function sharesOf(distributions: readonly Distribution[], semantics: Semantics): Shares {
  const effective = distributions.filter(({ rollout }) => Math.fround(rollout) > 0);
  if (effective.length === 0) return { ofVariants: new Map(), rest: 100 };
  const bounds = boundsOf(
    effective.map(({ rollout }) => rollout),
    semantics,
  );
  const buckets = new Map<string, number>();
  let taken = 0;
  for (const [at, { variant }] of effective.entries()) {
    const bound = Math.min(BUCKETS, Math.max(taken, bounds[at] ?? 0));
    if (bound > taken) buckets.set(variant, (buckets.get(variant) ?? 0) + bound - taken);
    taken = bound;
  }
  const ofVariants = new Map(Array.from(buckets, ([variant, count]) => [variant, count / 10]));
  return { ofVariants, rest: (BUCKETS - taken) / 10 };
}
