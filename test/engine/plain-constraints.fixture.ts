import { parseDateTime } from '../../src/engine/go-syntax.js';
import type { Constraint } from '../../src/engine/features.js';
import { parseNumbers, parseStrings } from '../../src/engine/go-syntax.js';
import { parseNumber } from '../../src/engine/go-syntax.js';
import { isBlank, trimSpace } from '../../src/engine/go-syntax.js';
import type { Question } from '../../src/model/answer.js';

/** Whether the question meets the constraint. A value that cannot be parsed never matches; that is no error. */
export function fulfils(question: Question, constraint: Constraint): boolean {
  switch (constraint.type) {
    case 'STRING_COMPARISON_TYPE':
      return matchesString(attribute(question, constraint), constraint);
    case 'ENTITY_ID_COMPARISON_TYPE':
      return matchesString(question.entity, constraint);
    case 'NUMBER_COMPARISON_TYPE':
      return matchesPresence(attribute(question, constraint), constraint, matchesNumber);
    case 'BOOLEAN_COMPARISON_TYPE':
      return matchesPresence(attribute(question, constraint), constraint, matchesBoolean);
    case 'DATETIME_COMPARISON_TYPE':
      return matchesPresence(attribute(question, constraint), constraint, matchesDateTime);
  }
}

function attribute({ attributes }: Question, { property }: Constraint): string {
  return Object.hasOwn(attributes, property) ? (attributes[property] ?? '') : '';
}

type Matches = (given: string, constraint: Constraint) => boolean;

function matchesPresence(given: string, constraint: Constraint, matches: Matches): boolean {
  if (constraint.operator === 'present') return !isBlank(given);
  if (constraint.operator === 'notpresent') return isBlank(given);
  return matches(given, constraint);
}

function matchesString(given: string, { operator, value }: Constraint): boolean {
  if (operator === 'empty') return isBlank(given);
  if (operator === 'notempty') return !isBlank(given);
  if (given === '') return false;
  switch (operator) {
    case 'eq':
      return given === value;
    case 'neq':
      return given !== value;
    case 'prefix':
      return trimSpace(given).startsWith(value);
    case 'suffix':
      return trimSpace(given).endsWith(value);
    case 'contains':
      return given.includes(value);
    case 'notcontains':
      return !given.includes(value);
    case 'isoneof':
      return parseStrings(value)?.includes(given) ?? false;
    case 'isnotoneof':
      return !(parseStrings(value)?.includes(given) ?? true);
    default:
      return false;
  }
}

function matchesNumber(given: string, { operator, value }: Constraint): boolean {
  const number = parseNumber(given);
  if (number === undefined) return false;
  // This does not use `includes()`, which would find NaN, although NaN equals nothing.
  if (operator === 'isoneof') return parseNumbers(value)?.some((member) => member === number) ?? false;
  if (operator === 'isnotoneof') return parseNumbers(value)?.every((member) => member !== number) ?? false;
  const bound = parseNumber(value);
  return bound !== undefined && compares(operator, number, bound);
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function matchesBoolean(given: string, { operator }: Constraint): boolean {
  if (operator === 'true') return TRUE.has(given);
  if (operator === 'false') return FALSE.has(given);
  return false;
}

function matchesDateTime(given: string, { operator, value }: Constraint): boolean {
  const instant = parseDateTime(given);
  const bound = parseDateTime(value);
  return instant !== undefined && bound !== undefined && compares(operator, instant, bound);
}

function compares<T extends number | bigint>(operator: string, given: T, bound: T): boolean {
  switch (operator) {
    case 'eq':
      return given === bound;
    case 'neq':
      return given !== bound;
    case 'lt':
      return given < bound;
    case 'lte':
      return given <= bound;
    case 'gt':
      return given > bound;
    case 'gte':
      return given >= bound;
    default:
      return false;
  }
}
