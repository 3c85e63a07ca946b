import {
  isBlankText,
  parsedOf,
  textOf,
  trimmedOf,
  type ComparedText,
  type Parse,
  type Value,
} from './syntax/compared-text.js';
import type { EvaluatedEntity } from './evaluated-entity.js';
import { parseBoolean } from './syntax/boolean-words.js';
import { parseDateTime } from './syntax/date-syntax.js';
import type { ComparisonType, Constraint } from './features.js';
import { LIST_OPERATORS, OPERATORS } from './operators-by-type.js';
import { parseNumbers, parseStrings } from './syntax/lists.js';
import { parseNumber } from './syntax/number-syntax.js';

/** Whether the entity matches. */
export type Matches = (entity: EvaluatedEntity) => boolean;

/**
 * Prepares a constraint. A value that does not parse, in the constraint or in an attribute, never matches. It is no
 * error.
 */
export function compileConstraint(constraint: Constraint): Matches {
  return matchesOf(constraint, textTest(constraint));
}

/** The same, and whether the constraint's own value parses. */
export function compileReadable(constraint: Constraint) {
  const test = textTest(constraint);
  return { matches: matchesOf(constraint, test), isReadable: test !== never };
}

function matchesOf({ type, property }: Constraint, test: (given: ComparedText) => boolean): Matches {
  // The service's rule: no other test matches an empty text.
  const matchesEmpty = test === isBlankText;
  if (type === 'ENTITY_ID_COMPARISON_TYPE')
    return (entity) => (entity.id === '' ? matchesEmpty : test(entity.idText()));
  return (entity) => {
    const given = entity.attribute(property) ?? '';
    return given === '' ? matchesEmpty : test(given);
  };
}

/** The test of a text that is not empty. */
function textTest(constraint: Constraint): (given: ComparedText) => boolean {
  const { type, operator, value } = constraint;
  if (!OPERATORS[type].includes(operator)) return never;
  switch (operator) {
    case 'empty':
    case 'notpresent':
      return isBlankText;
    case 'notempty':
    case 'present':
      return (given) => !isBlankText(given);
    case 'true':
      return (given) => parsedOf(given, parseBoolean) === true;
    case 'false':
      return (given) => parsedOf(given, parseBoolean) === false;
    case 'prefix':
      return (given) => trimmedOf(given).startsWith(value);
    case 'suffix':
      return (given) => trimmedOf(given).endsWith(value);
    case 'contains':
      return (given) => textOf(given).includes(value);
    case 'notcontains':
      return (given) => !textOf(given).includes(value);
  }
  const test = comparison(operator, comparedWith(constraint));
  const parse = PARSE[type];
  if (test === never) return never;
  if (parse === asItIs) return (given) => test(textOf(given));
  return (given) => {
    const parsed = parsedOf(given, parse);
    return parsed !== undefined && test(parsed);
  };
}

const asItIs = (text: string) => text;

/** Reads a value of each type as the service does; `undefined` if it does not parse. */
export const PARSE: Readonly<Record<ComparisonType, Parse>> = {
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
