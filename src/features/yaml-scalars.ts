import type { Scalar, ScalarTag } from 'yaml';
import type { Semantics } from '../engine/features.js';
import { isV2, readsAnyValue } from '../engine/version-differences.js';
import { parseDateTime } from '../engine/go-syntax.js';
import { isOf64Bits } from './stored-values.js';

const TAG = 'tag:yaml.org,2002:';

/** `010` is 8, `0b11` is 3, and `1_000` is 1000. */
const integer: ScalarTag = {
  tag: `${TAG}int`,
  default: true,
  test: /^[-+]?(?:0[0-7_]+|0b[01_]+|[1-9][\d_]*)$/,
  resolve(text) {
    const digits = text.replace(/[-+_]/g, '');
    const size = BigInt(/^0\d/.test(digits) ? `0o${digits}` : digits);
    return text.startsWith('-') ? -size : size;
  },
};

/** Written without quotes. */
export class YamlDate {
  constructor(readonly json: string) {}
}

const DATE = /^(\d{4}-\d\d?-\d\d?)(?:(?<sign>[Tt ])(\d\d?:\d\d?:\d\d?)(?:\.(\d+))?(Z|[-+]\d\d:\d\d)?)?$/;

/** A date whose day or time does not exist is text. */
const date: ScalarTag = {
  tag: `${TAG}timestamp`,
  default: true,
  test: DATE,
  resolve(text) {
    const [, day = '', sign = ' ', time = '0:0:0', fraction = '', zone] = DATE.exec(text) ?? [];
    if ((sign === ' ') !== (zone === undefined)) return text;
    let exact = fraction.slice(0, 9);
    while (exact.endsWith('0')) exact = exact.slice(0, -1);
    const json = `${twoDigits(day)}T${twoDigits(time)}${exact && `.${exact}`}${zone ?? 'Z'}`;
    return parseDateTime(json) === undefined ? text : new YamlDate(json.replace(/[-+]00:00$/, 'Z'));
  },
};

function twoDigits(text: string): string {
  return text.replace(/\b\d\b/g, '0$&');
}

const binary: ScalarTag = {
  tag: `${TAG}binary`,
  default: false,
  resolve(text, onError) {
    const base64 = text.replace(/[\r\n ]/g, '');
    if (!/^[A-Za-z\d+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0)
      onError('expected base64 for !!binary');
    return Buffer.from(base64, 'base64').toString();
  },
};

/** Flipt reads these scalars as YAML 1.1 has them, and all others as YAML 1.2: `yes` and `12:30:45` are text. */
export const SCALARS_OF_YAML_1_1: readonly ScalarTag[] = [integer, date, binary];

export interface ReadingRules {
  readonly semantics: Semantics;
  /** Go's JSON reader converts nothing to the type that Flipt expects. */
  readonly json: boolean;
  /** An import of v1 converts a scalar to the type that it expects; a schema refuses it. */
  readonly converts: boolean;
}

/**
 * What Flipt expects of a scalar, or inside a mapping or a list. `member`: its name decides. Attachments, metadata
 * and, since 2.11, the values of constraints can be anything.
 */
export type YamlType =
  | 'member'
  | 'constraints'
  | 'boolean'
  | 'number'
  | 'rank'
  | 'attachment'
  | 'metadata'
  | 'any';

const TYPES: ReadonlyMap<string, YamlType> = new Map([
  ['constraints', 'constraints'],
  ['enabled', 'boolean'],
  ['default', 'boolean'],
  ['value', 'boolean'],
  ['rank', 'rank'],
  ['rollout', 'number'],
  ['percentage', 'number'],
  ['attachment', 'attachment'],
  ['metadata', 'metadata'],
]);

export function isAny(type: YamlType): boolean {
  return type === 'attachment' || type === 'any';
}

export function memberType(name: string, around: YamlType, { semantics }: ReadingRules): YamlType {
  if (isAny(around)) return around;
  if (around === 'metadata') return 'any';
  if (around === 'constraints' && name === 'value') return readsAnyValue(semantics) ? 'any' : 'member';
  return TYPES.get(name) ?? 'member';
}

/** A scalar of another type than the expected one keeps its own; a date that Flipt cannot read here is a `YamlDate`. */
export function scalarAs(type: YamlType, scalar: Scalar, rules: ReadingRules): unknown {
  const value = valueOf(scalar);
  const ofV2 = isV2(rules.semantics);
  if (isAny(type) || type === 'metadata') {
    if (value instanceof YamlDate) return type === 'attachment' && !ofV2 ? value.json : value;
    // Go's JSON reader keeps the sign, because it reads all numbers as doubles.
    if (rules.json && scalar.source === '-0') return -0;
    // An integer of more than 64 bits stays a bigint, because Flipt v2 refuses it.
    const isDouble =
      rules.json || (type === 'attachment' && ofV2 && typeof value === 'bigint' && isOf64Bits(value));
    return typeof value === 'bigint' && isDouble ? Number(value) : value;
  }
  if (value instanceof YamlDate) return scalarText(scalar);
  // The schema refuses a rank with a fraction or an exponent, even `1.0`.
  if (type === 'rank' && !rules.converts && !rules.json && typeof scalar.value === 'number')
    return scalarText(scalar);
  const converts = rules.converts && !rules.json;
  if (converts && type === 'boolean') return wordAsBoolean(value);
  const isText = type === 'member' || type === 'constraints';
  if (converts && isText && value !== null) return scalarText(scalar);
  return typeof value === 'bigint' ? Number(value) : value;
}

export function scalarText({ source = '', value }: Scalar): string {
  return typeof value === 'string' ? value : source;
}

/** Beyond 2^53, an integer is a bigint; a number too large for a double is text. */
function valueOf({ source = '', value }: Scalar): unknown {
  if (typeof value !== 'number' && typeof value !== 'bigint') return value;
  const double = Number(value);
  if (!Number.isFinite(double)) return /\d/.test(source) ? source : double;
  return typeof value === 'number' || Number.isSafeInteger(double) ? double : value;
}

/** Even a word in quotes. */
function wordAsBoolean(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^(?:y|Y|yes|Yes|YES|on|On|ON)$/.test(value)) return true;
  return /^(?:n|N|no|No|NO|off|Off|OFF)$/.test(value) ? false : value;
}
