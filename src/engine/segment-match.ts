import { fulfils, type Subject } from './constraints.js';
import type { Features, Segment, SegmentChoice } from './features.js';

/** The chosen segments that match the subject; undefined where they are not enough for the operator. */
export function matchingSegments(
  { segmentKeys, segmentOperator }: SegmentChoice,
  { segments }: Features,
  subject: Subject,
): readonly string[] | undefined {
  const matching = segmentKeys.filter((key) => {
    const segment = segments.get(key);
    return segment !== undefined && matchesSegment(segment, subject);
  });
  if (segmentOperator === 'OR_SEGMENT_OPERATOR' && matching.length === 0) return undefined;
  if (segmentOperator === 'AND_SEGMENT_OPERATOR' && matching.length < segmentKeys.length) return undefined;
  // An operator without a name asks for nothing: the service's own reading.
  return matching;
}

function matchesSegment({ matchType, constraints }: Segment, subject: Subject): boolean {
  if (matchType === 'ALL_MATCH_TYPE') return constraints.every((constraint) => fulfils(subject, constraint));
  if (matchType !== 'ANY_MATCH_TYPE') return false;
  return constraints.length === 0 || constraints.some((constraint) => fulfils(subject, constraint));
}
