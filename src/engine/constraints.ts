import type { Question } from '../model/question.js';
import { parseBoolean } from './syntax/boolean-words.js';
import { parseDateTime } from './syntax/date-syntax.js';
import type { Constraint } from './features.js';
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
  const matches = textTest(constraint);
  if (constraint.type === 'ENTITY_ID_COMPARISON_TYPE') return (entity) => matches(entity);
  const { property } = constraint;
  return (_entity, read) => matches(read(property) ?? '');
}

type TextTest = (given: string) => boolean;

function textTest({ type, operator, value }: Constraint): TextTest {
  if (type === 'STRING_COMPARISON_TYPE' || type === 'ENTITY_ID_COMPARISON_TYPE') {
    return stringTest(operator, value);
  }
  if (operator === 'present') return isFilled;
  if (operator === 'notpresent') return isBlank;
  switch (type) {
    case 'NUMBER_COMPARISON_TYPE':
      return numberTest(operator, value);
    case 'BOOLEAN_COMPARISON_TYPE':
      return booleanTest(operator);
    case 'DATETIME_COMPARISON_TYPE':
      return parsedTest(parseDateTime, comparison(operator, parseDateTime(value)));
  }
}

/** An empty text matches only `empty`. */
function stringTest(operator: string, value: string): TextTest {
  switch (operator) {
    case 'empty':
      return isBlank;
    case 'notempty':
      return isFilled;
    case 'eq':
      return (given) => given === value && given !== '';
    case 'neq':
      return (given) => given !== value && given !== '';
    case 'prefix':
      return (given) => given !== '' && trimSpace(given).startsWith(value);
    case 'suffix':
      return (given) => given !== '' && trimSpace(given).endsWith(value);
    case 'contains':
      return (given) => given !== '' && given.includes(value);
    case 'notcontains':
      return (given) => given !== '' && !given.includes(value);
    case 'isoneof':
    case 'isnotoneof': {
      const inList = membership(operator, parseStrings(value));
      return (given) => given !== '' && inList(given);
    }
    default:
      return never;
  }
}

function numberTest(operator: string, value: string): TextTest {
  const test =
    operator === 'isoneof' || operator === 'isnotoneof'
      ? membership(operator, parseNumbers(value))
      : comparison(operator, parseNumber(value));
  return parsedTest(parseNumber, test);
}

function booleanTest(operator: string): TextTest {
  if (operator === 'true') return (given) => parseBoolean(given) === true;
  if (operator === 'false') return (given) => parseBoolean(given) === false;
  return never;
}

function parsedTest<T>(parse: (text: string) => T | undefined, test: (given: T) => boolean): TextTest {
  if (test === never) return never;
  return (given) => {
    const parsed = parse(given);
    return parsed !== undefined && test(parsed);
  };
}

/** If the list does not parse, neither operator matches anything. */
function membership<T>(
  operator: 'isoneof' | 'isnotoneof',
  list: readonly T[] | undefined,
): (given: T) => boolean {
  if (list === undefined) return never;
  const members = new Set(list);
  return operator === 'isoneof' ? (given) => members.has(given) : (given) => !members.has(given);
}

function comparison<T extends number | bigint>(
  operator: string,
  bound: T | undefined,
): (given: T) => boolean {
  if (bound === undefined) return never;
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
    case 'gte':
      return (given) => given >= bound;
    default:
      return never;
  }
}

function isFilled(given: string): boolean {
  return !isBlank(given);
}

function never(): boolean {
  return false;
}
