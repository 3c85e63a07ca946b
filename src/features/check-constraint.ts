import { COMPARISON_TYPES, type ComparisonType, type Semantics } from '../engine/features.js';
import {
  LIST_OPERATORS,
  membersOf,
  OPERATORS,
  OPERATORS_WITHOUT_VALUE,
  PARSE,
} from '../engine/constraint-match.js';
import { leavesSegmentsOut, limitsLists, takesLists } from '../engine/version-differences.js';
import { kindOf, unsteered } from '../base/text/describe.js';
import { memberOf, textOf } from './document-parts.js';
import type { Report } from './features-error.js';
import type { Wrong } from './mistake-kinds.js';
import { storedOperator } from './normal-forms.js';

/**
 * The largest number of members that Flipt v1's management API accepts in the list of a constraint. For v1, this
 * package refuses a longer list in a file, too.
 */
const MAX_LIST = 100;

/**
 * The version of Flipt and the version of the file format. The two versions decide which values a constraint can have.
 */
export interface ConstraintRules {
  readonly semantics: Semantics;
  /** The member `version` of the document, exactly as it is written there. */
  readonly version: unknown;
}

/** Reports an operator or a value that the constraint's type does not accept. */
export function checkConstraint(constraint: unknown, rules: ConstraintRules, report: Report): void {
  const type = COMPARISON_TYPES.find((each) => each === textOf(constraint, 'type'));
  const written = textOf(constraint, 'operator');
  if (type === undefined || written === undefined) return;

  const operator = storedOperator(written);
  if (!OPERATORS[type].includes(operator)) {
    report(['operator'], { kind: 'wrong-operator', type, operator: written });
    return;
  }
  const wrong = wrongValue(type, operator, memberOf(constraint, 'value') ?? '', rules);
  if (wrong !== undefined) report(['value'], wrong);
}

/** What is wrong, or `undefined` if nothing is wrong. */
type Found = Wrong | undefined;

/**
 * Returns what is wrong with a constraint's value. The function accepts a value that is neither a text nor a list,
 * because the schema in document-schema.ts already refuses such a value.
 */
function wrongValue(type: ComparisonType, operator: string, value: unknown, rules: ConstraintRules): Found {
  const isList = LIST_OPERATORS.includes(operator);
  if (Array.isArray(value)) {
    if (isList) return wrongListValue(type, value, rules);
    return { kind: 'wrong-type', expected: `a string for ${operator}`, got: 'a list' };
  }
  if (typeof value !== 'string' || OPERATORS_WITHOUT_VALUE.includes(operator)) return undefined;
  // Flipt accepts a constraint with an empty value. Operators such as `eq` compare a text with the empty text. A
  // constraint on a number or a date, or with an operator for lists, matches nothing if its value is empty.
  if (value === '' && !(isList && leavesSegmentsOut(rules.semantics))) return undefined;
  if (isList) {
    const list = membersOf(type, value);
    if (!list) return wrongText(`a JSON array of ${membersWords(type)}${suggestion(type, value)}`, value);
    const isLong = limitsLists(rules.semantics) && list.length > MAX_LIST;
    if (!isLong) return undefined;
    return { kind: 'long', expected: `at most ${MAX_LIST} members`, got: String(list.length) };
  }
  if (PARSE[type](value) !== undefined) return undefined;
  const date = 'a date-time as RFC 3339 has it, or YYYY-MM-DD';
  return wrongText(type === 'NUMBER_COMPARISON_TYPE' ? 'a number' : date, value);
}

function wrongText(expected: string, value: string): Wrong {
  return { kind: 'wrong-value', expected, got: `"${unsteered(value)}"` };
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
 * Returns what is wrong with a value that is written as a YAML list and not as a text. Since 2.11, Flipt reads and
 * writes YAML lists in constraints, from version 1.6 of the file format on.
 */
function wrongListValue(type: ComparisonType, list: readonly unknown[], rules: ConstraintRules): Found {
  const version = Number(rules.version);
  const why = !takesLists(rules.semantics)
    ? 'Flipt v1 takes no list (semantics v2 does)'
    : BEFORE_LISTS.has(version) && `version ${version} of the format has no lists; 1.6 has`;
  if (why) return { kind: 'wrong-type', expected: `a JSON array in quotes, because ${why}` };
  const words = membersWords(type);
  const isMember = (each: unknown) => (words === 'strings' ? typeof each === 'string' : isNumber(each));
  const wrong = list.find((each) => !isMember(each));
  if (wrong === undefined) return undefined;
  return { kind: 'wrong-item', expected: `a list of ${words}`, got: `${kindOf(wrong)} in it` };
}

function membersWords(type: ComparisonType) {
  return type === 'NUMBER_COMPARISON_TYPE' ? 'numbers' : 'strings';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
}
