import { isBlankText, isNone, parsedOf, textOf, trimmedOf } from './syntax/compared-text.js';
import type { ComparedText, Parse, Value } from './syntax/compared-text.js';
import type { EvaluatedEntity } from './evaluated-entity.js';
import { parseBoolean } from './syntax/boolean-words.js';
import { parseDateTime } from './syntax/date-syntax.js';
import type { ComparisonType, Constraint } from './features.js';
import { parseNumbers, parseStrings } from './syntax/lists.js';
import { parseNumber } from './syntax/number-syntax.js';

/** Returns whether an entity matches a constraint, a segment, or several segments. */
export type Matches = (entity: EvaluatedEntity) => boolean;

/**
 * Returns whether a text (of an attribute, or the entity's id) matches the constraint. `given` is never the empty text.
 */
type TextTest = (given: ComparedText) => boolean;

/** Returns whether a value matches the constraint. `given` was already parsed as the constraint's type. */
type ValueTest = (given: Value) => boolean;

const isFilledText: TextTest = (given) => !isBlankText(given);

/** The operators that ignore the constraint's own value. */
const WITHOUT_VALUE = {
  empty: isBlankText,
  notempty: isFilledText,
  true: (given) => parsedOf(given, parseBoolean) === true,
  false: (given) => parsedOf(given, parseBoolean) === false,
  present: isFilledText,
  notpresent: isBlankText,
} satisfies Readonly<Record<string, TextTest>>;

/** The operators that look for the constraint's value in the text that is compared. */
const WITH_TEXT = {
  prefix: (part) => (given) => trimmedOf(given).startsWith(part),
  suffix: (part) => (given) => trimmedOf(given).endsWith(part),
  contains: (part) => (given) => textOf(given).includes(part),
  notcontains: (part) => (given) => !textOf(given).includes(part),
} satisfies Readonly<Record<string, (part: string) => TextTest>>;

/** The operators that compare the attribute with the single value of the constraint. */
const WITH_VALUE = {
  eq: (bound) => (given) => given === bound,
  neq: (bound) => (given) => given !== bound,
  lt: (bound) => (given) => given < bound,
  lte: (bound) => (given) => given <= bound,
  gt: (bound) => (given) => given > bound,
  gte: (bound) => (given) => given >= bound,
} satisfies Readonly<Record<string, (bound: Value) => ValueTest>>;

/**
 * The operators that compare the attribute with the members of a list. For these operators, the constraint's value is a
 * JSON array.
 */
const WITH_LIST = {
  isoneof: (members) => (given) => members.has(given),
  isnotoneof: (members) => (given) => !members.has(given),
} satisfies Readonly<Record<string, (members: ReadonlySet<Value>) => ValueTest>>;

type Operator =
  | keyof typeof WITHOUT_VALUE
  | keyof typeof WITH_TEXT
  | keyof typeof WITH_VALUE
  | keyof typeof WITH_LIST;

/**
 * Returns the entry for an operator in a table such as `WITH_LIST`, or `undefined` if the table does not contain the
 * operator.
 */
function rowOf<Row>(table: Readonly<Record<string, Row>>, operator: string): Row | undefined {
  return table[operator];
}

/**
 * The operators that only test whether the context has a value for the attribute. If a constraint has one of these
 * operators, it is normal that some entities do not have the attribute.
 */
export const PRESENCE_OPERATORS: readonly string[] = ['empty', 'notempty', 'present', 'notpresent'];
export const OPERATORS_WITHOUT_VALUE: readonly string[] = Object.keys(WITHOUT_VALUE);
export const LIST_OPERATORS: readonly string[] = Object.keys(WITH_LIST);

const ORDERED = ['NUMBER_COMPARISON_TYPE', 'DATETIME_COMPARISON_TYPE'] as const;
const TEXTUAL = ['STRING_COMPARISON_TYPE', 'ENTITY_ID_COMPARISON_TYPE'] as const;
const BOOLEAN = ['BOOLEAN_COMPARISON_TYPE'] as const;

/**
 * For each operator, the comparison types that support it. Messages list the operators of a type in the order of this
 * table.
 */
const TYPES_OF: Readonly<Record<Operator, readonly ComparisonType[]>> = {
  true: BOOLEAN,
  false: BOOLEAN,
  eq: [...TEXTUAL, ...ORDERED],
  neq: [...TEXTUAL, ...ORDERED],
  lt: ORDERED,
  lte: ORDERED,
  gt: ORDERED,
  gte: ORDERED,
  present: [...ORDERED, ...BOOLEAN],
  notpresent: [...ORDERED, ...BOOLEAN],
  empty: TEXTUAL,
  notempty: TEXTUAL,
  prefix: TEXTUAL,
  suffix: TEXTUAL,
  isoneof: [...TEXTUAL, 'NUMBER_COMPARISON_TYPE'],
  isnotoneof: [...TEXTUAL, 'NUMBER_COMPARISON_TYPE'],
  contains: TEXTUAL,
  notcontains: TEXTUAL,
};

const operatorsOf = (type: ComparisonType): readonly string[] =>
  Object.entries(TYPES_OF).flatMap(([operator, types]) => (types.includes(type) ? [operator] : []));

/**
 * The operators that each comparison type supports. A constraint with an operator that its type does not support never
 * matches.
 */
export const OPERATORS: Readonly<Record<ComparisonType, readonly string[]>> = {
  STRING_COMPARISON_TYPE: operatorsOf('STRING_COMPARISON_TYPE'),
  ENTITY_ID_COMPARISON_TYPE: operatorsOf('ENTITY_ID_COMPARISON_TYPE'),
  NUMBER_COMPARISON_TYPE: operatorsOf('NUMBER_COMPARISON_TYPE'),
  DATETIME_COMPARISON_TYPE: operatorsOf('DATETIME_COMPARISON_TYPE'),
  BOOLEAN_COMPARISON_TYPE: operatorsOf('BOOLEAN_COMPARISON_TYPE'),
};

/**
 * What an operator such as `notempty` requires: `filled` is a value with content, and `blank` is a missing value, an
 * empty value, or only white space.
 */
export type Content = 'blank' | 'filled';

/**
 * Returns whether the operator requires a filled or a blank value. Returns `undefined` if the operator looks at the
 * value itself.
 */
export function neededContent(operator: string): Content | undefined {
  const test = rowOf(WITHOUT_VALUE, operator);
  if (test === isBlankText) return 'blank';
  return test === isFilledText ? 'filled' : undefined;
}

/** Returns whether at least one comparison type supports an operator of this name. */
export function isOperator(word: string): boolean {
  return Object.hasOwn(TYPES_OF, word);
}

/**
 * Returns the test of a constraint. If the operator compares values, and the constraint's value or the attribute's
 * value cannot be parsed, the constraint does not match, and no error is thrown.
 */
export function compileConstraint(constraint: Constraint): Matches {
  const { type, property } = constraint;
  const test = textTest(constraint);
  // As in Flipt, only the operators `empty` and `notpresent` match an entity that has no value.
  const matchesNone = test === isBlankText;
  if (type === 'ENTITY_ID_COMPARISON_TYPE')
    return (entity) => (isNone(entity.id) ? matchesNone : test(entity.idText()));
  return (entity) => {
    const given = entity.attribute(property) ?? '';
    return isNone(given) ? matchesNone : test(given);
  };
}

/**
 * Returns whether the constraint's type supports the operator, and the operator can use the constraint's own value.
 * Operators such as `present` need no value.
 */
export function isReadable(constraint: Constraint): boolean {
  return textTest(constraint) !== never;
}

function textTest({ type, operator, value }: Constraint): TextTest {
  if (!OPERATORS[type].includes(operator)) return never;
  const plain = rowOf(WITHOUT_VALUE, operator) ?? rowOf(WITH_TEXT, operator)?.(value);
  if (plain !== undefined) return plain;
  const test = valueTest(type, operator, value);
  const parse = PARSE[type];
  if (test === undefined) return never;
  if (parse === asItIs) return (given) => test(textOf(given));
  return (given) => {
    const parsed = parsedOf(given, parse);
    return parsed !== undefined && test(parsed);
  };
}

/**
 * Returns the test of an operator that compares values. Returns `undefined` if the constraint's own value or list
 * cannot be parsed.
 */
function valueTest(type: ComparisonType, operator: string, value: string): ValueTest | undefined {
  const list = rowOf(WITH_LIST, operator);
  if (list !== undefined) {
    const members = membersOf(type, value);
    return members && list(new Set<Value>(members));
  }
  const bound = PARSE[type](value);
  return bound === undefined ? undefined : rowOf(WITH_VALUE, operator)?.(bound);
}

const asItIs = (text: string) => text;

/**
 * For each comparison type, the function that parses a value as Flipt does. Each of these functions returns `undefined`
 * for a value that it cannot parse.
 */
export const PARSE: Readonly<Record<ComparisonType, Parse>> = {
  STRING_COMPARISON_TYPE: asItIs,
  ENTITY_ID_COMPARISON_TYPE: asItIs,
  NUMBER_COMPARISON_TYPE: parseNumber,
  BOOLEAN_COMPARISON_TYPE: parseBoolean,
  DATETIME_COMPARISON_TYPE: parseDateTime,
};

/** Returns the members of the JSON list in a constraint of this type, or `undefined` if the list cannot be parsed. */
export function membersOf(type: ComparisonType, list: string): readonly (string | number)[] | undefined {
  return type === 'NUMBER_COMPARISON_TYPE' ? parseNumbers(list) : parseStrings(list);
}

export function never(): boolean {
  return false;
}
