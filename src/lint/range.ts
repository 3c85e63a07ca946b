import { membersOf, PARSE } from '../engine/constraint-match.js';
import type { Constraint } from '../engine/features.js';
import type { Value } from '../engine/syntax/compared-text.js';

/** The numbers or instants between two bounds. */
export interface Range {
  readonly low: Bound;
  readonly high: Bound;
}

interface Bound {
  readonly at: Value;
  /** The bound itself does not belong to the range. */
  readonly isOpen: boolean;
}

/** The numbers or instants that a constraint matches; `undefined` if it has no bounds, as `neq`. */
export function rangeOf({ type, operator, value }: Constraint): Range | undefined {
  if (type !== 'NUMBER_COMPARISON_TYPE' && type !== 'DATETIME_COMPARISON_TYPE') return undefined;
  if (operator === 'isoneof') {
    const list = (membersOf(type, value) ?? []).map(Number);
    return between(Math.min(...list), Math.max(...list));
  }
  const at = PARSE[type](value);
  if (at === undefined) return undefined;
  const bound = { at, isOpen: operator === 'lt' || operator === 'gt' };
  switch (operator) {
    case 'eq':
      return between(at, at);
    case 'lt':
    case 'lte':
      return { low: LOWEST, high: bound };
    case 'gt':
    case 'gte':
      return { low: bound, high: HIGHEST };
    default:
      return undefined;
  }
}

/** Nothing is above or below NaN. */
export function isEmpty({ low, high }: Range): boolean {
  return !(low.isOpen || high.isOpen ? low.at < high.at : low.at <= high.at);
}

export function overlap(one: Range, other: Range = { low: LOWEST, high: HIGHEST }): Range {
  const isHigher = one.low.at > other.low.at || (one.low.at === other.low.at && one.low.isOpen);
  const isLower = one.high.at < other.high.at || (one.high.at === other.high.at && one.high.isOpen);
  return { low: isHigher ? one.low : other.low, high: isLower ? one.high : other.high };
}

// Dates are bigints, which compare with infinity, too.
const LOWEST: Bound = { at: -Infinity, isOpen: false };
const HIGHEST: Bound = { at: Infinity, isOpen: false };

function between(low: Value, high: Value): Range {
  return { low: { at: low, isOpen: false }, high: { at: high, isOpen: false } };
}
