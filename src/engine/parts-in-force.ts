import type { Distribution, MatchType, SegmentOperator, Variant, VariantFlag } from './features.js';

/*
 * Which parts of a flag count: the service's rules. Evaluation, explanations, the linter and the embedded service all
 * ask here.
 */

/** The rules that are evaluated: a disabled flag has none. */
export function rulesInForce<R>(flag: Readonly<{ enabled: boolean; rules: readonly R[] }>): readonly R[] {
  return flag.enabled ? flag.rules : [];
}

/** Whether a distribution gives a variant to somebody: its percentage, in single precision, is not 0. */
export function isShare({ rollout }: Pick<Distribution, 'rollout'>): boolean {
  return Math.fround(rollout) > 0;
}

/** The distributions that give a variant to somebody. */
export function sharesIn<D extends Pick<Distribution, 'rollout'>>(distributions: readonly D[]): readonly D[] {
  return distributions.filter(isShare);
}

/** How many of its parts have to match: one, all or, because of an operator without a name, none. */
export type Needed = 'one' | 'all' | 'none';

/** How many segments of a choice have to match. */
export function neededSegments(operator: SegmentOperator): Needed {
  if (typeof operator === 'number') return 'none';
  return operator === 'AND_SEGMENT_OPERATOR' ? 'all' : 'one';
}

/** How many constraints of a segment have to match; `undefined` for a match type without a name: it matches nobody. */
export function neededConstraints(matchType: MatchType, count: number): Needed | undefined {
  if (typeof matchType === 'number') return undefined;
  // Without constraints, a segment of either type matches everybody.
  if (count === 0) return 'none';
  return matchType === 'ALL_MATCH_TYPE' ? 'all' : 'one';
}

/** The variant of an id; `undefined` without an id, or if the flag has no such variant. */
export function variantOf({ variants }: VariantFlag, id: string | undefined): Variant | undefined {
  return id === undefined ? undefined : variants.get(id);
}
