import type { SegmentChoice, SegmentOperator, Semantics } from '../engine/features.js';
import { isV2 } from '../engine/version-differences.js';
import { unlessItThrows } from '../base/text/describe.js';

/*
 * Some values can be written in several ways in a features file. The functions in this file return the one form in
 * which Flipt stores a value.
 */

/**
 * Returns the segments that a rule or rollout names: their keys, sorted and without duplicates, and the operator. With
 * a single segment, the operator is always OR.
 */
export function segmentChoice(keys: readonly string[], operator: SegmentOperator = OR): SegmentChoice {
  const segmentKeys = [...new Set(keys)].sort();
  return { segmentKeys, segmentOperator: segmentKeys.length === 1 ? OR : operator };
}

/** Flipt stores operators in small letters. */
export const storedOperator = (written: string): string => written.toLowerCase();

const OR = 'OR_SEGMENT_OPERATOR';

/**
 * Returns the shortest decimal number that is the same as the given percentage in single precision. Flipt stores
 * percentages in single precision.
 */
export function rolloutPercentage(percentage: number): number {
  const single = Math.fround(percentage);
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(single.toPrecision(digits));
    if (Math.fround(shorter) === single) return shorter;
  }
  return Number(single.toPrecision(9));
}

/**
 * Returns a value as JSON text in the form that Go writes: the members of mappings are sorted, and for Flipt v1,
 * characters such as `<`, `>` and `&` are escaped. Returns `undefined` for a value that JSON cannot hold, such as NaN
 * or a cycle.
 */
export function goJson(value: unknown, semantics: Semantics): string | undefined {
  // `written` throws an error for Infinity, NaN and a cycle. The `toJSON` method of an object can throw an error, too.
  const text = unlessItThrows(() => written(value));
  return isV2(semantics) ? text : text?.replace(/[<>&\u2028\u2029]/g, escaped);
}

/**
 * Returns whether Go has an integer type that can hold this integer. If no integer type can hold an integer, Go reads
 * the integer as a double.
 */
export function isOf64Bits(value: bigint): boolean {
  return value >= -(2n ** 63n) && value < 2n ** 64n;
}

function written(value: unknown): string | undefined {
  if (typeof value === 'bigint') return isOf64Bits(value) ? String(value) : JSON.stringify(Number(value));
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('JSON has no such number');
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const json: unknown = Reflect.get(value, 'toJSON');
  if (typeof json === 'function') return written(Reflect.apply(json, value, []));
  if (Array.isArray(value)) return `[${value.map((item) => written(item) ?? 'null').join(',')}]`;
  const members = Object.entries(value)
    .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .flatMap(([name, member]) => {
      const text = written(member);
      return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
    });
  return `{${members.join(',')}}`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
