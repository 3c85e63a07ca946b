import type { ComparedText, EvaluatedEntity, Parse, Value } from './entity.js';
import type { ComparisonType, Constraint } from './features.js';
import { parseBoolean, parseDateTime, parseNumber, parseNumbers, parseStrings } from './go-syntax.js';

export type Matches = (entity: EvaluatedEntity) => boolean;
/** Never called with the empty text. */
type TextTest = (given: ComparedText) => boolean;
type ValueTest = (given: Value) => boolean;

const isBlank: TextTest = (given) => given.trimmed() === '';
const isFilled: TextTest = (given) => given.trimmed() !== '';

const WITHOUT_VALUE = {
  empty: isBlank,
  notempty: isFilled,
  true: (given) => given.parsed(parseBoolean) === true,
  false: (given) => given.parsed(parseBoolean) === false,
  present: isFilled,
  notpresent: isBlank,
} satisfies Readonly<Record<string, TextTest>>;

const WITH_TEXT = {
  prefix: (part) => (given) => given.trimmed().startsWith(part),
  suffix: (part) => (given) => given.trimmed().endsWith(part),
  contains: (part) => (given) => given.text.includes(part),
  notcontains: (part) => (given) => !given.text.includes(part),
} satisfies Readonly<Record<string, (part: string) => TextTest>>;

const WITH_VALUE = {
  eq: (bound) => (given) => given === bound,
  neq: (bound) => (given) => given !== bound,
  lt: (bound) => (given) => given < bound,
  lte: (bound) => (given) => given <= bound,
  gt: (bound) => (given) => given > bound,
  gte: (bound) => (given) => given >= bound,
} satisfies Readonly<Record<string, (bound: Value) => ValueTest>>;

/** JSON arrays. */
const WITH_LIST = {
  isoneof: (members) => (given) => members.has(given),
  isnotoneof: (members) => (given) => !members.has(given),
} satisfies Readonly<Record<string, (members: ReadonlySet<Value>) => ValueTest>>;

function rowOf<Row>(table: Readonly<Record<string, Row>>, operator: string): Row | undefined {
  return table[operator];
}

export const OPERATORS_WITHOUT_VALUE: readonly string[] = Object.keys(WITHOUT_VALUE);
export const LIST_OPERATORS: readonly string[] = Object.keys(WITH_LIST);

const EQUALITY = ['eq', 'neq'];
const ORDER = [...EQUALITY, 'lt', 'lte', 'gt', 'gte'];
const PRESENCE = ['present', 'notpresent'];
const TEXTUAL = [
  ...EQUALITY,
  'empty',
  'notempty',
  'prefix',
  'suffix',
  ...LIST_OPERATORS,
  'contains',
  'notcontains',
];

/** Any other operator never matches. */
export const OPERATORS: Readonly<Record<ComparisonType, readonly string[]>> = {
  STRING_COMPARISON_TYPE: TEXTUAL,
  ENTITY_ID_COMPARISON_TYPE: TEXTUAL,
  NUMBER_COMPARISON_TYPE: [...ORDER, ...PRESENCE, ...LIST_OPERATORS],
  DATETIME_COMPARISON_TYPE: [...ORDER, ...PRESENCE],
  BOOLEAN_COMPARISON_TYPE: ['true', 'false', ...PRESENCE],
};

/** `blank`: missing, empty, or only white space. */
export type Content = 'blank' | 'filled';

/** `undefined` if the operator looks at the value itself. */
export function neededContent(operator: string): Content | undefined {
  const test = rowOf(WITHOUT_VALUE, operator);
  if (test === isBlank) return 'blank';
  return test === isFilled ? 'filled' : undefined;
}

export function isOperator(word: string): boolean {
  return Object.values(OPERATORS).some((operators) => operators.includes(word));
}

/** What cannot be parsed, in the constraint or the entity, does not match. */
export function compileConstraint(constraint: Constraint): Matches {
  const { type, property } = constraint;
  const test = textTest(constraint);
  // As in Flipt, only `empty` and `notpresent` match an entity without a value, and an empty text is no value.
  const matchesNone = test === isBlank;
  const isOfEntityId = type === 'ENTITY_ID_COMPARISON_TYPE';
  return (entity) => {
    const given = isOfEntityId ? entity.idText() : entity.attribute(property);
    return given === undefined || given.text === '' ? matchesNone : test(given);
  };
}

/** The type has the operator, and the value can be parsed if the operator needs it. */
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
  if (parse === asItIs) return (given) => test(given.text);
  return (given) => {
    const parsed = given.parsed(parse);
    return parsed !== undefined && test(parsed);
  };
}

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

export const PARSE: Readonly<Record<ComparisonType, Parse>> = {
  STRING_COMPARISON_TYPE: asItIs,
  ENTITY_ID_COMPARISON_TYPE: asItIs,
  NUMBER_COMPARISON_TYPE: parseNumber,
  BOOLEAN_COMPARISON_TYPE: parseBoolean,
  DATETIME_COMPARISON_TYPE: parseDateTime,
};

export function membersOf(type: ComparisonType, list: string): readonly (string | number)[] | undefined {
  return type === 'NUMBER_COMPARISON_TYPE' ? parseNumbers(list) : parseStrings(list);
}

export function never(): boolean {
  return false;
}
