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
    return { low: { at: Math.min(...list), isOpen: false }, high: { at: Math.max(...list), isOpen: false } };
  }
  const at = PARSE[type](value);
  if (at === undefined) return undefined;
  const bound = { at, isOpen: operator === 'lt' || operator === 'gt' };
  const isLow = operator === 'eq' || operator === 'gt' || operator === 'gte';
  const isHigh = operator === 'eq' || operator === 'lt' || operator === 'lte';
  if (!isLow && !isHigh) return undefined;
  return { low: isLow ? bound : LOWEST, high: isHigh ? bound : HIGHEST };
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
