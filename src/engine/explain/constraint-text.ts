import { quoted } from '../../text/quote.js';
import type { ComparisonType, Constraint } from '../features.js';
import { OPERATORS, OPERATORS_WITHOUT_VALUE } from '../operators.js';
import type { ExplainedConstraint } from './explanation.js';

/** One constraint, the value that it saw, and whether it matched. */
export function constraintText(constraint: ExplainedConstraint): string {
  const verdict = constraint.matched ? 'matches' : 'does not match';
  return `${comparisonText(constraint)}: ${verdict}, ${reasonText(constraint)}`;
}

/** What a constraint compares. */
export function comparisonText({ type, property, operator, value }: Constraint): string {
  const compared =
    type === 'ENTITY_ID_COMPARISON_TYPE' ? 'the entity id' : `${WORDS[type]} ${quoted(property)}`;
  const bound = OPERATORS_WITHOUT_VALUE.includes(operator) ? '' : ` ${quoted(value)}`;
  const name = OPERATORS[type].includes(operator) ? operator : quoted(operator);
  return `${compared} ${name}${bound}`;
}

const WORDS: Readonly<Record<ComparisonType, string>> = {
  STRING_COMPARISON_TYPE: 'string',
  NUMBER_COMPARISON_TYPE: 'number',
  BOOLEAN_COMPARISON_TYPE: 'boolean',
  DATETIME_COMPARISON_TYPE: 'date-time',
  ENTITY_ID_COMPARISON_TYPE: 'entity id',
};

function reasonText({ type, seen, why }: ExplainedConstraint): string {
  const value = seen === undefined ? 'there is no value' : `the value is ${quoted(seen)}`;
  if (why === 'unknown-operator') return 'there is no such operator';
  if (why === 'unreadable-constraint') return "the constraint's own value does not parse";
  return why === 'unreadable' ? `${value}, which is no ${WORDS[type]}` : value;
}
