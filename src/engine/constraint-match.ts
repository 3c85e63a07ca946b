import type { Question } from '../model/question.js';
import { parseBoolean } from './syntax/boolean-words.js';
import { parseDateTime } from './syntax/date-syntax.js';
import type { ComparisonType, Constraint } from './features.js';
import { LIST_OPERATORS, OPERATORS } from './operators-by-type.js';
import { parseNumbers, parseStrings } from './syntax/lists.js';
import { parseNumber } from './syntax/number-syntax.js';
import { isBlank, trimSpace } from './syntax/whitespace.js';

/** The text of an attribute; `undefined` if there is none. Called only for attributes that are compared. */
export type ReadAttribute = (name: string) => string | undefined;

/** Reads attributes that are text already. A name like `constructor` counts only if it was sent. */
export function attributeReader(attributes: Question['attributes']): ReadAttribute {
  return (name) => (Object.hasOwn(attributes, name) ? attributes[name] : undefined);
}

/** Whether the entity with these attributes matches. */
export type Matches = (entity: string, read: ReadAttribute) => boolean;

/**
 * Prepares a constraint. A value that does not parse, in the constraint or in an attribute, never matches. It is no
 * error.
 */
export function compileConstraint(constraint: Constraint): Matches {
  const { type, property } = constraint;
  const test = textTest(constraint);
  // The service's rule: no other test matches an empty text.
  const matchesEmpty = test === isBlank;
  if (type === 'ENTITY_ID_COMPARISON_TYPE') return (entity) => (entity === '' ? matchesEmpty : test(entity));
  return (_entity, read) => {
    const given = read(property) ?? '';
    return given === '' ? matchesEmpty : test(given);
  };
}

/** The test of a text that is not empty. */
function textTest(constraint: Constraint): (given: string) => boolean {
  const { type, operator, value } = constraint;
  if (!OPERATORS[type].includes(operator)) return never;
  switch (operator) {
    case 'empty':
    case 'notpresent':
      return isBlank;
    case 'notempty':
    case 'present':
      return (given) => !isBlank(given);
    case 'true':
      return (given) => parseBoolean(given) === true;
    case 'false':
      return (given) => parseBoolean(given) === false;
    case 'prefix':
      return (given) => trimSpace(given).startsWith(value);
    case 'suffix':
      return (given) => trimSpace(given).endsWith(value);
    case 'contains':
      return (given) => given.includes(value);
    case 'notcontains':
      return (given) => !given.includes(value);
  }
  const test = comparison(operator, comparedWith(constraint));
  const parse = PARSE[type];
  if (parse === asItIs || test === never) return test;
  return (given) => {
    const parsed = parse(given);
    return parsed !== undefined && test(parsed);
  };
}

type Value = string | number | bigint | boolean;

const asItIs = (text: string) => text;

/** Reads a value of each type as the service does; `undefined` if it does not parse. */
export const PARSE: Readonly<Record<ComparisonType, (text: string) => Value | undefined>> = {
  STRING_COMPARISON_TYPE: asItIs,
  ENTITY_ID_COMPARISON_TYPE: asItIs,
  NUMBER_COMPARISON_TYPE: parseNumber,
  BOOLEAN_COMPARISON_TYPE: parseBoolean,
  DATETIME_COMPARISON_TYPE: parseDateTime,
};

/** The constraint's own value, or the members of its list; `undefined` if it does not parse. */
export function comparedWith({ type, operator, value }: Constraint): Value | ReadonlySet<Value> | undefined {
  if (!LIST_OPERATORS.includes(operator)) return PARSE[type](value);
  const list = type === 'NUMBER_COMPARISON_TYPE' ? parseNumbers(value) : parseStrings(value);
  return list && new Set<Value>(list);
}

function comparison(operator: string, bound: ReturnType<typeof comparedWith>): (given: Value) => boolean {
  if (bound === undefined) return never;
  if (typeof bound === 'object') {
    return operator === 'isoneof' ? (given) => bound.has(given) : (given) => !bound.has(given);
  }
  switch (operator) {
    case 'eq':
      return (given) => given === bound;
    case 'neq':
      return (given) => given !== bound;
    case 'lt':
      return (given) => given < bound;
    case 'lte':
      return (given) => given <= bound;
    case 'gt':
      return (given) => given > bound;
    default:
      return (given) => given >= bound;
  }
}

export function never(): boolean {
  return false;
}
