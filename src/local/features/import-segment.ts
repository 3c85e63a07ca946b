import { parseDateTime } from '../../engine/syntax/date-syntax.js';
import type { ComparisonType } from '../../engine/features.js';
import { LIST_OPERATORS, OPERATORS, OPERATORS_WITHOUT_VALUE } from '../../engine/operators.js';
import { parseNumbers, parseStrings } from '../../engine/syntax/lists.js';
import { parseNumber } from '../../engine/syntax/number-syntax.js';
import type { ConstraintRecord, SegmentRecord } from '../state/records.js';
import { type DocumentImport, newDates, newIdentity, report } from './document-import.js';
import type { CheckedConstraint, CheckedSegment } from './features-schema.js';

const MAX_LIST = 100;

/** Makes a record of a segment, with its constraints as the service would store them. */
export function importSegment(
  document: DocumentImport,
  path: string,
  written: CheckedSegment,
): SegmentRecord {
  const { key, name, description, match_type: matchType } = written;
  const constraints = written.constraints.flatMap((constraint, index): ConstraintRecord[] => {
    const imported = importConstraint(constraint);
    if ('wrong' in imported) {
      report(document, `${path}.constraints[${index}].${imported.member}`, imported.wrong);
      return [];
    }
    return [{ ...newIdentity(document), ...constraint, ...imported }];
  });
  return { key, name: name || key, description, matchType, constraints, ...newDates(document) };
}

interface Complaint {
  readonly member: string;
  readonly wrong: string;
}

/** The operator and value that the service would store, or what is wrong with them. */
function importConstraint({
  type,
  property,
  operator: written,
  value,
}: CheckedConstraint): { operator: string; value: string } | Complaint {
  const operator = written.toLowerCase();
  if (!OPERATORS[type].includes(operator)) {
    const expected = OPERATORS[type].join(', ');
    return { member: 'operator', wrong: `expected one of ${expected} for ${type}, got "${written}"` };
  }
  if (type === 'ENTITY_ID_COMPARISON_TYPE' && property !== 'entityId') {
    return { member: 'property', wrong: `expected entityId for ${type}, got "${property}"` };
  }
  if (OPERATORS_WITHOUT_VALUE.includes(operator)) return { operator, value: '' };
  const wrong =
    value === '' ? `missing; expected a value for ${operator}` : wrongValue(type, operator, value);
  if (wrong !== undefined) return { member: 'value', wrong };
  return { operator, value };
}

function wrongValue(type: ComparisonType, operator: string, value: string): string | undefined {
  if (LIST_OPERATORS.includes(operator)) return wrongList(type, value);
  if (type === 'NUMBER_COMPARISON_TYPE' && parseNumber(value) === undefined) {
    return `expected a number, got "${value}"`;
  }
  if (type === 'DATETIME_COMPARISON_TYPE' && parseDateTime(value) === undefined) {
    return `expected a date-time as RFC 3339 has it, or YYYY-MM-DD, got "${value}"`;
  }
  return undefined;
}

function wrongList(type: ComparisonType, value: string): string | undefined {
  const numbers = type === 'NUMBER_COMPARISON_TYPE';
  const list = numbers ? parseNumbers(value) : parseStrings(value);
  if (!list) return `expected a JSON array of ${numbers ? 'numbers' : 'strings'}, got "${value}"`;
  return list.length > MAX_LIST ? `expected at most ${MAX_LIST} members, got ${list.length}` : undefined;
}
