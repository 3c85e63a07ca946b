import { OPERATORS_WITHOUT_VALUE } from '../../engine/operators.js';
import type { SegmentRecord, Stamp } from '../state/records.js';
import { goJson } from './go-json.js';
import type { CheckedConstraint, CheckedSegment } from './features-schema.js';
import { newDates, newIdentity } from './new-record.js';

/** Makes a record of a segment, with its constraints as the service would store them. */
export function importSegment(written: CheckedSegment, stamp: Stamp): SegmentRecord {
  const { key, name, description, match_type: matchType } = written;
  const constraints = written.constraints.map((constraint) => ({
    ...newIdentity(stamp),
    ...constraint,
    ...stored(constraint),
  }));
  return { key, name, description, matchType, constraints, ...newDates(stamp) };
}

function stored({ operator: written, value }: CheckedConstraint): { operator: string; value: string } {
  const operator = written.toLowerCase();
  if (OPERATORS_WITHOUT_VALUE.includes(operator)) return { operator, value: '' };
  return { operator, value: typeof value === 'string' ? value : (goJson(value, 'v1') ?? '') };
}
