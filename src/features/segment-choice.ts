import type { SegmentChoice } from '../engine/features.js';

/** A choice as Flipt stores it: without duplicates, sorted, and a single segment always with OR. */
export function segmentChoice(
  keys: readonly string[],
  operator: SegmentChoice['segmentOperator'] = 'OR_SEGMENT_OPERATOR',
): SegmentChoice {
  const segmentKeys = [...new Set(keys)].sort();
  return { segmentKeys, segmentOperator: segmentKeys.length === 1 ? 'OR_SEGMENT_OPERATOR' : operator };
}
