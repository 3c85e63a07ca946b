import { COMPARISON_TYPES, type ComparisonType, type Semantics } from '../engine/features.js';
import {
  LIST_OPERATORS,
  membersOf,
  OPERATORS,
  OPERATORS_WITHOUT_VALUE,
  PARSE,
} from '../engine/constraint-match.js';
import { leavesSegmentsOut, limitsLists, takesLists } from '../engine/version-differences.js';
import { kindOf, quoted, unsteered } from '../base/text/describe.js';
import { memberOf, textOf } from './document-parts.js';
import type { Report } from './features-error.js';
import { storedOperator } from './normal-forms.js';

/** The largest number of members that Flipt v1 accepts in the list of a constraint. */
const MAX_LIST = 100;

/**
 * The version of Flipt and the version of the file format. The two versions decide which values a constraint can have.
 */
export interface ConstraintRules {
  readonly semantics: Semantics;
  /** The member `version` of the document, exactly as it is written there. */
  readonly version: unknown;
}

/** Reports an operator, a property or a value that the constraint's type does not accept. */
export function checkConstraint(constraint: unknown, rules: ConstraintRules, report: Report): void {
  const type = COMPARISON_TYPES.find((each) => each === textOf(constraint, 'type'));
  const written = textOf(constraint, 'operator');
  if (type === undefined || written === undefined) return;

  const operator = storedOperator(written);
  if (!OPERATORS[type].includes(operator)) {
    const expected = OPERATORS[type].join(', ');
    report(['operator'], `expected one of ${expected} for ${type}, got ${quoted(written)}`);
    return;
  }
  const wrong = wrongValue(type, operator, memberOf(constraint, 'value') ?? '', rules);
  if (wrong !== undefined) report(['value'], wrong);
}

/**
 * Returns what is wrong with a constraint's value, or `undefined` if nothing is wrong. The function accepts a value
 * that is neither a text nor a list, because the schema in document-schema.ts already refuses such a value.
 */
function wrongValue(type: ComparisonType, operator: string, value: unknown, rules: ConstraintRules) {
  const isList = LIST_OPERATORS.includes(operator);
  if (Array.isArray(value)) {
    return isList ? wrongListValue(type, value, rules) : `expected a string for ${operator}, got a list`;
  }
  if (typeof value !== 'string' || OPERATORS_WITHOUT_VALUE.includes(operator)) return undefined;
  // Flipt accepts a constraint with an empty value. If the constraint is on a text, Flipt compares the attribute with
  // the empty text. If the constraint is of any other type, it matches nothing.
  if (value === '' && !(isList && leavesSegmentsOut(rules.semantics))) return undefined;
  if (isList) {
    const list = membersOf(type, value);
    if (!list) {
      return `expected a JSON array of ${membersWords(type)}${suggestion(type, value)}, got "${unsteered(value)}"`;
    }
    const isLong = limitsLists(rules.semantics) && list.length > MAX_LIST;
    return isLong ? `expected at most ${MAX_LIST} members, got ${list.length}` : undefined;
  }
  if (PARSE[type](value) !== undefined) return undefined;
  const date = 'a date-time as RFC 3339 has it, or YYYY-MM-DD';
  return `expected ${type === 'NUMBER_COMPARISON_TYPE' ? 'a number' : date}, got "${unsteered(value)}"`;
}

/**
 * Returns a hint for a user who wrote a list as words, such as `de, fr`. The hint shows the same list as a JSON array
 * in quotes.
 */
function suggestion(type: ComparisonType, value: string): string {
  if (!/^[\w.-]+(?:\s*,\s*[\w.-]+)*$/.test(value) || value.length > MOST_SUGGESTED) return '';
  const words = value.split(',').map((word) => word.trim());
  if (type !== 'NUMBER_COMPARISON_TYPE') return `, such as '${JSON.stringify(words)}'`;
  return words.every((word) => /^-?\d+(?:\.\d+)?$/.test(word)) ? `, such as '[${words.join(',')}]'` : '';
}

/** If a list has more characters than this, the error message does not show it as a JSON array. */
const MOST_SUGGESTED = 60;

const BEFORE_LISTS = new Set([1, 1.1, 1.2, 1.3, 1.4, 1.5]);

/**
 * Returns what is wrong with a value that is written as a YAML list and not as a text. Flipt v2 reads and writes YAML
 * lists in constraints from version 1.6 of the file format on.
 */
function wrongListValue(type: ComparisonType, list: readonly unknown[], rules: ConstraintRules) {
  if (!takesLists(rules.semantics))
    return 'expected a JSON array in quotes, because Flipt v1 takes no list (semantics v2 does)';
  const version = Number(rules.version);
  if (BEFORE_LISTS.has(version)) {
    return `expected a JSON array in quotes, because version ${version} of the format has no lists; 1.6 has`;
  }
  const words = membersWords(type);
  const isMember = (each: unknown) => (words === 'strings' ? typeof each === 'string' : isNumber(each));
  const wrong = list.find((each) => !isMember(each));
  return wrong === undefined ? undefined : `expected a list of ${words}, got ${kindOf(wrong)} in it`;
}

function membersWords(type: ComparisonType) {
  return type === 'NUMBER_COMPARISON_TYPE' ? 'numbers' : 'strings';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
}
