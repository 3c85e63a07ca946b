import type { SegmentChoice } from '../../engine/features.js';

/** What the service makes of a choice: equal keys collapse, several are sorted, and one alone is always OR. */
export function segmentChoice(
  keys: readonly string[],
  operator: SegmentChoice['segmentOperator'] = 'OR_SEGMENT_OPERATOR',
): SegmentChoice {
  const segmentKeys = [...new Set(keys)].sort();
  return { segmentKeys, segmentOperator: segmentKeys.length === 1 ? 'OR_SEGMENT_OPERATOR' : operator };
}
