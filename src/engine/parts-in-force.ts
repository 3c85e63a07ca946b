import type { Distribution, MatchType, SegmentOperator, Variant, VariantFlag } from './features.js';

/*
 * These functions hold the service's rules about which parts of a flag count. Evaluation, explanations, the linter and
 * the embedded service all ask them.
 */

/** Returns the rules that are evaluated. A disabled flag has no rules that are evaluated. */
export function rulesInForce<R>(flag: Readonly<{ enabled: boolean; rules: readonly R[] }>): readonly R[] {
  return flag.enabled ? flag.rules : [];
}

/** Returns whether a distribution gives a variant to somebody, because its percentage is not 0 in single precision. */
export function isShare({ rollout }: Pick<Distribution, 'rollout'>): boolean {
  return Math.fround(rollout) > 0;
}

/** Returns the distributions that give a variant to somebody. */
export function sharesIn<D extends Pick<Distribution, 'rollout'>>(distributions: readonly D[]): readonly D[] {
  return distributions.filter(isShare);
}

/** How many parts have to match: one part, all parts, or none of them. */
export type Needed = 'one' | 'all' | 'none';

/** Returns how many segments of a choice have to match. */
export function neededSegments(operator: SegmentOperator): Needed {
  if (typeof operator === 'number') return 'none';
  return operator === 'AND_SEGMENT_OPERATOR' ? 'all' : 'one';
}

/**
 * Returns how many constraints of a segment have to match, or `undefined` for a match type without a name, because such
 * a segment matches nobody.
 */
export function neededConstraints(matchType: MatchType, count: number): Needed | undefined {
  if (typeof matchType === 'number') return undefined;
  // Without constraints, a segment of either type matches everybody.
  if (count === 0) return 'none';
  return matchType === 'ALL_MATCH_TYPE' ? 'all' : 'one';
}

/** Returns the variant with this id, or `undefined` if `id` is `undefined` or the flag has no such variant. */
export function variantOf({ variants }: VariantFlag, id: string | undefined): Variant | undefined {
  return id === undefined ? undefined : variants.get(id);
}
