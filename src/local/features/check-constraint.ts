import { COMPARISON_TYPES, type ComparisonType } from '../../engine/features.js';
import { LIST_OPERATORS, OPERATORS, OPERATORS_WITHOUT_VALUE } from '../../engine/operators.js';
import { parseDateTime } from '../../engine/syntax/date-syntax.js';
import { parseNumbers, parseStrings } from '../../engine/syntax/lists.js';
import { parseNumber } from '../../engine/syntax/number-syntax.js';
import { quoted, unsteered } from '../../text/quote.js';
import { memberOf, textOf } from './document-parts.js';
import type { DocumentPath, Report } from './features-error.js';

const MAX_LIST = 100;

/** Reports an operator, property or value that the constraint's type does not take. */
export function checkConstraint(constraint: unknown, path: DocumentPath, report: Report): void {
  const type = COMPARISON_TYPES.find((each) => each === textOf(constraint, 'type'));
  const written = textOf(constraint, 'operator');
  if (type === undefined || written === undefined) return;

  const operator = written.toLowerCase();
  if (!OPERATORS[type].includes(operator)) {
    const expected = OPERATORS[type].join(', ');
    report([...path, 'operator'], `expected one of ${expected} for ${type}, got ${quoted(written)}`);
    return;
  }
  const property = textOf(constraint, 'property');
  if (type === 'ENTITY_ID_COMPARISON_TYPE' && property && property !== 'entityId') {
    report([...path, 'property'], `expected entityId for ${type}, got ${quoted(property)}`);
    return;
  }
  const value = memberOf(constraint, 'value') ?? '';
  if (typeof value !== 'string' || OPERATORS_WITHOUT_VALUE.includes(operator)) return;
  const wrong =
    value === '' ? `missing; expected a value for ${operator}` : wrongValue(type, operator, value);
  if (wrong !== undefined) report([...path, 'value'], wrong);
}

function wrongValue(type: ComparisonType, operator: string, value: string): string | undefined {
  if (LIST_OPERATORS.includes(operator)) return wrongList(type, value);
  if (type === 'NUMBER_COMPARISON_TYPE' && parseNumber(value) === undefined) {
    return `expected a number, got "${unsteered(value)}"`;
  }
  if (type === 'DATETIME_COMPARISON_TYPE' && parseDateTime(value) === undefined) {
    return `expected a date-time as RFC 3339 has it, or YYYY-MM-DD, got "${unsteered(value)}"`;
  }
  return undefined;
}

function wrongList(type: ComparisonType, value: string): string | undefined {
  const numbers = type === 'NUMBER_COMPARISON_TYPE';
  const list = numbers ? parseNumbers(value) : parseStrings(value);
  if (!list) return `expected a JSON array of ${numbers ? 'numbers' : 'strings'}, got "${unsteered(value)}"`;
  return list.length > MAX_LIST ? `expected at most ${MAX_LIST} members, got ${list.length}` : undefined;
}
