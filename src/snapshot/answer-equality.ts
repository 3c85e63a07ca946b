import { isDeepStrictEqual } from 'node:util';
import type { KnownAnswer } from '../model/answer.js';
import { parsedJson } from '../text/json.js';

/** Whether the service's answer equals the snapshot's answer to the same question. */
export function isSameAnswer(given: KnownAnswer, expected: KnownAnswer): boolean {
  if (!isSameValue(given, expected)) return false;
  if (given.kind === 'missing' || expected.kind === 'missing') return true;
  return given.reason === expected.reason && isSameSet(given.segmentKeys ?? [], expected.segmentKeys ?? []);
}

/** Whether both give the same value, for whatever reason. */
export function isSameValue(given: KnownAnswer, expected: KnownAnswer): boolean {
  if (given.kind === 'boolean' && expected.kind === 'boolean') return given.enabled === expected.enabled;
  if (given.kind !== 'variant' || expected.kind !== 'variant') return given.kind === expected.kind;
  return (
    given.match === expected.match &&
    given.variant === expected.variant &&
    isSameJson(given.attachment, expected.attachment)
  );
}

/** Compares without order, because the service lists matching segments in no fixed order. */
function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  if (some.every((key, at) => key === others[at])) return true;
  return isDeepStrictEqual([...some].sort(), [...others].sort());
}

/** Compares parsed values, because the same attachment may be written with other spaces and escapes. */
function isSameJson(text: string, other: string): boolean {
  if (text === other) return true;
  const value = parsedJson(text);
  return value !== undefined && isDeepStrictEqual(value, parsedJson(other));
}
