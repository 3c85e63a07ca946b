import { Scalar } from 'yaml';
import { unsteered } from '../../text/describe.js';
import { parseNumber } from '../../engine/syntax/number-syntax.js';
import { parseDateTime } from '../../engine/syntax/date-syntax.js';

const YAML_TAG = 'tag:yaml.org,2002:';

/** What a scalar is to Go's YAML reader, or a message that says why it is wrong. */
export function scalarValue(scalar: Scalar): { readonly value: ScalarValue } | { readonly wrong: string } {
  const text = textOfScalar(scalar);
  const tag = scalar.tag?.replace(YAML_TAG, '') ?? '!';
  if (tag === 'binary') return decoded(text);
  if (tag === '!') return { value: scalar.type === Scalar.PLAIN ? plainScalar(text) : text };
  const fits = FITS[tag];
  if (fits === undefined) return { value: text };
  const value = plainScalar(text);
  if (tag === 'float' && typeof value === 'bigint') return { value: Number(value) };
  return fits(value) ? { value } : { wrong: `expected !!${tag}, got ${unsteered(text)}` };
}

/** The text of a scalar, as it was parsed without any meaning. */
export function textOfScalar({ value }: Scalar): string {
  return typeof value === 'string' ? value : '';
}

/** The tags that give a scalar another meaning than text. */
const FITS: Readonly<Record<string, ((value: ScalarValue) => boolean) | undefined>> = {
  int: (value) => typeof value === 'bigint' || Number.isInteger(value),
  float: (value) => typeof value === 'number' || typeof value === 'bigint',
  bool: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  timestamp: (value) => value instanceof Timestamp,
};

function decoded(base64: string): { readonly value: string } | { readonly wrong: string } {
  const text = base64.replace(/[\r\n]/g, '');
  const right = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(text);
  return right
    ? { value: Buffer.from(text, 'base64').toString('utf8') }
    : { wrong: 'expected base64 for !!binary' };
}

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

/** A date as Go's YAML reader makes one of text without quotes. */
export class Timestamp {
  /** `json` is RFC 3339 with a zone, as Go writes it in JSON; `undefined` if the zone is one that JSON cannot have. */
  constructor(readonly json: string | undefined) {}
}

const DATE = /^([-\d]+)$/;
const DATE_TIME = /^([-\d]+) ([:\d]+)(?:[.,](\d+))?$/;
const WITH_ZONE = /^([-\d]+)[Tt]([:\d]+)(?:[.,](\d+))?(Z|[-+]\d\d:\d\d)$/;

/** `2024-01-01`, `2024-1-1T2:3:4.5+01:00` or `2024-1-1 2:3:4`; `undefined` for anything else. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const parts = WITH_ZONE.exec(text) ?? DATE_TIME.exec(text) ?? DATE.exec(text);
  const [, day = '', time = '0:0:0', fraction = '', zone = 'Z'] = parts ?? [];
  const date = `${twoDigits(day)}T${twoDigits(time)}`;
  if (parseDateTime(date + zone) === undefined) return undefined;
  const exact = fraction.slice(0, 9).replace(/0{1,9}$/, '');
  const [, sign = '', hours = '0', minutes = '0'] = /^([-+])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const offset = Number(hours) * 60 + Number(minutes);
  const shift = twoDigits(`${Math.floor(offset / 60)}:${offset % 60}`);
  const json = `${date}${exact && `.${exact}`}${offset === 0 ? 'Z' : sign + shift}`;
  return new Timestamp(offset < 24 * 60 ? json : undefined);
}

/** The text with a zero before each number of one digit. */
function twoDigits(text: string): string {
  return text.replace(/\b\d\b/g, '0$&');
}
