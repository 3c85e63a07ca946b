import { LIST_OPERATORS, membersOf, PARSE } from '../engine/constraint-match.js';
import type { ComparisonType, SegmentChoice, SegmentOperator, Semantics } from '../engine/features.js';
import { isV2 } from '../engine/version-differences.js';
import { unlessItThrows } from '../base/text/describe.js';

const OR = 'OR_SEGMENT_OPERATOR';

/** As in Flipt: keys sorted, repeated ones dropped, OR for a single key. */
export function segmentChoice(keys: readonly string[], operator: SegmentOperator = OR): SegmentChoice {
  const segmentKeys = [...new Set(keys)].sort();
  return { segmentKeys, segmentOperator: segmentKeys.length === 1 ? OR : operator };
}

export const storedOperator = (written: string): string => written.toLowerCase();

/** Flipt stores single precision: the shortest decimal number that is the same there. */
export function rolloutPercentage(percentage: number): number {
  const single = Math.fround(percentage);
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(single.toPrecision(digits));
    if (Math.fround(shorter) === single) return shorter;
  }
  return Number(single.toPrecision(9));
}

/** As Go writes JSON: members sorted, and in v1 with `<`, `>` and `&` escaped. `undefined` for what JSON cannot hold. */
export function goJson(value: unknown, semantics: Semantics): string | undefined {
  const text = unlessItThrows(() => written(value));
  return isV2(semantics) ? text : text?.replace(/[<>&\u2028\u2029]/g, escaped);
}

/** Go reads a larger integer as a double. */
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

/** A list has one of the `LIST_OPERATORS`. */
export function isReadableValue(type: ComparisonType, operator: string, value: string): boolean {
  const isList = LIST_OPERATORS.includes(operator);
  return isList ? membersOf(type, value) !== undefined : PARSE[type](value) !== undefined;
}
