import { type DocumentImport, newDates, newIdentity, refuse } from './document-import.js';
import type { CheckedSegment } from './features-schema.js';
import { importConstraint } from './import-constraint.js';
import type { ConstraintRecord, SegmentRecord } from '../state/records.js';

export function importSegment(
  document: DocumentImport,
  path: string,
  written: CheckedSegment,
): SegmentRecord {
  const { key, name, description, match_type: matchType } = written;
  const constraints = written.constraints.map((constraint, index): ConstraintRecord => {
    const imported = importConstraint(constraint);
    if ('wrong' in imported) {
      return refuse(document, `${path}.constraints[${index}].${imported.member}`, imported.wrong);
    }
    return { ...newIdentity(document), ...constraint, ...imported };
  });
  return { key, name: name || key, description, matchType, constraints, ...newDates(document) };
}
