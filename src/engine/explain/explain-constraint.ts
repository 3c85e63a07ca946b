import { compileConstraint, type ReadAttribute } from '../constraints.js';
import type { ComparisonType, Constraint } from '../features.js';
import { LIST_OPERATORS, OPERATORS, OPERATORS_WITHOUT_VALUE } from '../operators.js';
import { parseBoolean } from '../syntax/boolean-words.js';
import { parseDateTime } from '../syntax/date-syntax.js';
import { parseNumbers, parseStrings } from '../syntax/lists.js';
import { parseNumber } from '../syntax/number-syntax.js';
import { isBlank } from '../syntax/whitespace.js';
import type { ExplainedConstraint, ConstraintMismatch } from './explanation.js';

export function explainConstraint(
  constraint: Constraint,
  entity: string,
  read: ReadAttribute,
): ExplainedConstraint {
  const { type, property, operator, value } = constraint;
  const matched = compileConstraint(constraint)(entity, read);
  const seen = type === 'ENTITY_ID_COMPARISON_TYPE' ? entity : read(property);
  return {
    type,
    property,
    operator,
    value,
    ...(seen !== undefined && { seen }),
    matched,
    ...(!matched && { why: mismatch(constraint, seen ?? '') }),
  };
}

/** Why a value does not match. Call it only for a value that does not. */
function mismatch(constraint: Constraint, seen: string): ConstraintMismatch {
  const { type, operator } = constraint;
  if (!OPERATORS[type].includes(operator)) return 'unknown-operator';
  if (!isReadable(constraint)) return 'unreadable-constraint';
  if (operator === 'empty' || operator === 'notpresent') return 'differs';
  // White space is a text like any other, but it does not count as present.
  const isPresence = operator === 'notempty' || operator === 'present';
  if (seen === '' || (isPresence && isBlank(seen))) return 'missing';
  return PARSE[type](seen) === undefined ? 'unreadable' : 'differs';
}

function isReadable({ type, operator, value }: Constraint): boolean {
  if (OPERATORS_WITHOUT_VALUE.includes(operator)) return true;
  if (!LIST_OPERATORS.includes(operator)) return PARSE[type](value) !== undefined;
  return (type === 'NUMBER_COMPARISON_TYPE' ? parseNumbers(value) : parseStrings(value)) !== undefined;
}

const asItIs = (text: string) => text;

const PARSE: Readonly<Record<ComparisonType, (text: string) => unknown>> = {
  STRING_COMPARISON_TYPE: asItIs,
  ENTITY_ID_COMPARISON_TYPE: asItIs,
  NUMBER_COMPARISON_TYPE: parseNumber,
  BOOLEAN_COMPARISON_TYPE: parseBoolean,
  DATETIME_COMPARISON_TYPE: parseDateTime,
};
