import type { Distribution, MatchType, SegmentOperator, Variant, VariantFlag } from './features.js';

/** A disabled variant flag evaluates none of its rules. */
export function effectiveRules<R>(flag: Readonly<{ enabled: boolean; rules: readonly R[] }>): readonly R[] {
  return flag.enabled ? flag.rules : [];
}

/** A percentage that is 0 in single precision gives its variant to nobody. */
export function isShare({ rollout }: Pick<Distribution, 'rollout'>): boolean {
  return Math.fround(rollout) > 0;
}

export function sharesIn<D extends Pick<Distribution, 'rollout'>>(distributions: readonly D[]): readonly D[] {
  return distributions.filter(isShare);
}

export type Needed = 'one' | 'all' | 'none';

export function neededSegments(operator: SegmentOperator): Needed {
  if (typeof operator === 'number') return 'none';
  return operator === 'AND_SEGMENT_OPERATOR' ? 'all' : 'one';
}

/** `undefined` for an unknown type, whose segment matches nobody. */
export function neededConstraints(matchType: MatchType, count: number): Needed | undefined {
  if (typeof matchType === 'number') return undefined;
  if (count === 0) return 'none';
  return matchType === 'ALL_MATCH_TYPE' ? 'all' : 'one';
}

export function variantOf({ variants }: VariantFlag, id: string | undefined): Variant | undefined {
  return id === undefined ? undefined : variants.get(id);
}
