import type { Segment, SegmentChoice } from '../engine/features.js';
import { neededConstraints, neededSegments } from '../engine/parts-in-force.js';
import { coverEverything, firstContradiction, isImpossible } from './contradiction.js';

/** Which entities something applies to. `everybody` and `nobody` are certain. */
export type Reach = 'everybody' | 'nobody' | 'some';

/** Which entities a segment matches. */
export function segmentReach({ matchType, constraints }: Segment): Reach {
  const needed = neededConstraints(matchType, constraints.length);
  if (needed === undefined) return 'nobody';
  if (needed === 'none') return 'everybody';
  if (needed === 'all') {
    return constraints.some(isImpossible) || firstContradiction(constraints) >= 0 ? 'nobody' : 'some';
  }
  if (constraints.every(isImpossible)) return 'nobody';
  return coverEverything(constraints) ? 'everybody' : 'some';
}

/** Which entities a choice of segments matches. */
export function choiceReach(
  { segmentKeys, segmentOperator }: SegmentChoice,
  ofSegments: ReadonlyMap<string, Reach>,
): Reach {
  const reaches = segmentKeys.map((key) => ofSegments.get(key) ?? 'nobody');
  // One of these decides alone, the other only if all segments agree.
  const [alone, together]: readonly [Reach, Reach] =
    neededSegments(segmentOperator) === 'one' ? ['everybody', 'nobody'] : ['nobody', 'everybody'];
  if (reaches.includes(alone)) return alone;
  return reaches.every((reach) => reach === together) ? together : 'some';
}
