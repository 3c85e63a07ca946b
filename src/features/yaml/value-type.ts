import type { Scalar } from 'yaml';
import type { Semantics } from '../../engine/features.js';
import { isV2 } from '../../engine/rules-of-version.js';
import type { DocumentPath } from '../features-error.js';
import { type ScalarValue, scalarValue, textOfScalar, Timestamp } from './scalar-value.js';

/**
 * How a value is read. Flipt reads members with a type (`member`: text), but any value in attachments, metadata, and, in
 * v2, constraints.
 */
export type YamlType = 'member' | 'boolean' | 'number' | 'attachment' | 'metadata' | 'any';

/** What decides how a text is read. */
export interface ReadingRules {
  readonly semantics: Semantics;
  /** Whether it is a JSON file. Flipt reads those with Go's JSON reader, which converts nothing. */
  readonly json: boolean;
}

const TYPES = new Map<string, YamlType>([
  ['enabled', 'boolean'],
  ['default', 'boolean'],
  ['rank', 'number'],
  ['rollout', 'number'],
  ['percentage', 'number'],
  ['attachment', 'attachment'],
  ['metadata', 'metadata'],
]);

/** The type of the member at this path, in a mapping that is read as `around`. */
export function typeOf(path: DocumentPath, around: YamlType, { semantics }: ReadingRules): YamlType {
  if (around !== 'member') return around === 'attachment' ? around : 'any';
  const name = String(path.at(-1));
  if (name !== 'value') return TYPES.get(name) ?? 'member';
  if (path.at(-3) !== 'constraints') return 'boolean';
  return semantics === 'v1' ? 'member' : 'any';
}

type Read = { readonly value: unknown } | { readonly wrong: string };

/** The value of a scalar that stands where this type is expected. A value of another type stays: the schema reports it. */
export function readAs(type: YamlType, value: ScalarValue, text: string, rules: ReadingRules): Read {
  if (type !== 'member' && type !== 'boolean' && type !== 'number') {
    // In YAML it is an integer, which has no negative zero.
    return readAny(type, rules.json && text === '-0' ? -0 : value, rules);
  }
  if (value instanceof Timestamp) return { value: text };
  // v2 checks types before it reads a file, and converts nothing.
  const converts = rules.semantics === 'v1' && !rules.json;
  if (converts && type === 'member' && value !== null)
    return { value: typeof value === 'string' ? value : text };
  if (converts && type === 'boolean') return { value: WORDS.get(value) ?? value };
  return { value: inDoubles(value) };
}

function readAny(type: YamlType, value: ScalarValue, { semantics, json }: ReadingRules): Read {
  const isAttachment = type === 'attachment';
  // Only v2 keeps numbers of attachments as doubles. Go's JSON reader makes doubles of all numbers.
  if (!(value instanceof Timestamp))
    return { value: json || (isAttachment && isV2(semantics)) ? inDoubles(value) : value };
  // The date of an attachment becomes text in v1. Everywhere else, Flipt refuses a date, or makes it a text of Go's.
  if (isAttachment && !isV2(semantics) && value.json !== undefined) return { value: value.json };
  return { wrong: 'expected no date without quotes, because Flipt cannot read it here (put it in quotes)' };
}

function inDoubles(value: Exclude<ScalarValue, Timestamp>): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

const WORDS = new Map<unknown, boolean>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
]);

/** The name of a member. Where any value may stand, names must be text; elsewhere, everything is read as text. */
export function readAsText(key: Scalar, around: YamlType): string | undefined {
  if (around !== 'any' && around !== 'attachment') return textOfScalar(key);
  const read = scalarValue(key);
  return 'value' in read && typeof read.value === 'string' ? read.value : undefined;
}
