import type { ComparisonType } from './features.js';

const EQUALITY = ['eq', 'neq'];
const LISTS = ['isoneof', 'isnotoneof'];
const ORDER = ['lt', 'lte', 'gt', 'gte'];
const PRESENCE = ['present', 'notpresent'];
const STRING = [...EQUALITY, 'empty', 'notempty', 'prefix', 'suffix', ...LISTS, 'contains', 'notcontains'];

/** The operators that each type knows. With any other operator, a constraint never matches. */
export const OPERATORS: Readonly<Record<ComparisonType, readonly string[]>> = {
  STRING_COMPARISON_TYPE: STRING,
  ENTITY_ID_COMPARISON_TYPE: STRING,
  NUMBER_COMPARISON_TYPE: [...EQUALITY, ...ORDER, ...PRESENCE, ...LISTS],
  DATETIME_COMPARISON_TYPE: [...EQUALITY, ...ORDER, ...PRESENCE],
  BOOLEAN_COMPARISON_TYPE: ['true', 'false', ...PRESENCE],
};

const KNOWN: ReadonlySet<string> = new Set(Object.values(OPERATORS).flat());

/** Whether any type knows the operator. */
export function isOperator(word: string): boolean {
  return KNOWN.has(word);
}

/** Operators that compare with a JSON array. */
export const LIST_OPERATORS: readonly string[] = LISTS;

/** Operators that compare with nothing: the constraint's own value has no meaning. */
export const OPERATORS_WITHOUT_VALUE: readonly string[] = ['empty', 'notempty', 'true', 'false', ...PRESENCE];
