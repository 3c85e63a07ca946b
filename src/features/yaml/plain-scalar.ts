import { parseNumber } from '../../engine/syntax/number-syntax.js';
import { parseTimestamp, type Timestamp } from './timestamp.js';

/** An integer beyond 2^53 is a bigint, so that none of its digits is lost. */
export type ScalarValue = null | boolean | number | bigint | string | Timestamp;

const WORDS = new Map<string, ScalarValue>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
]);

/**
 * What text without quotes is to Go's YAML reader. It mixes YAML 1.1 and 1.2: `010` is 8, `1_000` is a number and
 * `2024-01-01` a date, but `yes` is text.
 */
export function plainScalar(text: string): ScalarValue {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (text.startsWith('.')) return parseNumber(text) ?? text;
  if (!/^[-+\d]/.test(text)) return text;
  const digits = text.replaceAll('_', '');
  return parseTimestamp(text) ?? integer(digits) ?? decimal(digits) ?? text;
}

const INTEGER = /^([-+]?)(0[xX][\da-fA-F]{1,80}|0[bB][01]{1,80}|0[oO]?[0-7]{1,80}|0|[1-9]\d{0,80})$/;
const INT64 = 2n ** 63n;

function integer(digits: string): number | bigint | undefined {
  const [, sign, amount] = INTEGER.exec(digits) ?? [];
  if (amount === undefined) return undefined;
  const octal = /^0[0-7]/.test(amount);
  const size = BigInt(octal ? `0o${amount.slice(1)}` : amount.toLowerCase());
  const value = sign === '-' ? -size : size;
  // Without a sign, it may also be an unsigned one.
  if (value < -INT64 || value >= (sign === '' ? 2n * INT64 : INT64)) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

const DECIMAL = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;

function decimal(digits: string): number | undefined {
  const value = DECIMAL.test(digits) ? Number(digits) : NaN;
  return Number.isFinite(value) ? value : undefined;
}
