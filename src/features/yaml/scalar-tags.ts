import type { ScalarTag } from 'yaml';
import { parseDateTime } from '../../engine/go-syntax.js';

const TAG = 'tag:yaml.org,2002:';

/** Reads integers as YAML 1.1 writes them: `010` is 8, `0b11` is 3, and `1_000` is 1000. */
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

/** A date that is written without quotes in a YAML text. */
export class YamlDate {
  /** `json` is the text that Go writes for this date in JSON (RFC 3339, with a time zone). */
  constructor(readonly json: string) {}
}

const DATE = /^(\d{4}-\d\d?-\d\d?)(?:(?<sign>[Tt ])(\d\d?:\d\d?:\d\d?)(?:\.(\d+))?(Z|[-+]\d\d:\d\d)?)?$/;

/**
 * Reads dates such as `2024-01-01`, `2024-1-1T2:3:4.5+01:00` or `2024-1-1 2:3:4`. A date whose day or time does not
 * exist is read as text.
 */
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

/** Puts a zero before each number of one digit. */
function twoDigits(text: string): string {
  return text.replace(/\b\d\b/g, '0$&');
}

/** Reads a scalar with the tag `!!binary`, which contains a text in base64. */
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

/**
 * This package reads integers, dates and `!!binary` as in YAML 1.1, because Flipt's reader does so. The core schema of
 * the YAML library reads all other scalars as in YAML 1.2: for example, `yes` and `12:30:45` are text.
 */
export const SCALARS_OF_YAML_1_1: readonly ScalarTag[] = [integer, date, binary];
