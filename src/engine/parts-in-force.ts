import type { Distribution, MatchType, SegmentOperator, Variant, VariantFlag } from './features.js';

/*
 * The functions in this file contain Flipt's rules about which parts of a flag have an effect. Evaluation,
 * explanations, the linter and the embedded service share these functions.
 */

/** Returns the rules that Flipt evaluates: all rules of an enabled flag, and no rules of a disabled flag. */
export function rulesInForce<R>(flag: Readonly<{ enabled: boolean; rules: readonly R[] }>): readonly R[] {
  return flag.enabled ? flag.rules : [];
}

/**
 * Returns whether a distribution can give its variant to an entity. A distribution with a percentage that is 0 in
 * single precision gives its variant to nobody.
 */
export function isShare({ rollout }: Pick<Distribution, 'rollout'>): boolean {
  return Math.fround(rollout) > 0;
}

/** Returns the distributions that can give a variant to an entity, which are those with a percentage above 0. */
export function sharesIn<D extends Pick<Distribution, 'rollout'>>(distributions: readonly D[]): readonly D[] {
  return distributions.filter(isShare);
}

/** How many segments or constraints have to match: at least one, all of them, or none. */
export type Needed = 'one' | 'all' | 'none';

/** Returns how many segments of a rule or rollout have to match. */
export function neededSegments(operator: SegmentOperator): Needed {
  if (typeof operator === 'number') return 'none';
  return operator === 'AND_SEGMENT_OPERATOR' ? 'all' : 'one';
}

/**
 * Returns how many constraints of a segment have to match. Returns `undefined` for a match type that has no name,
 * because a segment with such a match type matches nobody.
 */
export function neededConstraints(matchType: MatchType, count: number): Needed | undefined {
  if (typeof matchType === 'number') return undefined;
  // A segment without constraints matches everybody, whichever of the two match types it has.
  if (count === 0) return 'none';
  return matchType === 'ALL_MATCH_TYPE' ? 'all' : 'one';
}

/** Returns the variant with this id, or `undefined` if `id` is `undefined` or the flag has no such variant. */
export function variantOf({ variants }: VariantFlag, id: string | undefined): Variant | undefined {
  return id === undefined ? undefined : variants.get(id);
}
