import { parsedJson } from '../../base/text/json.js';

/**
 * Parses the list of an `isoneof` or `isnotoneof` constraint, which is a JSON array of strings. As in Go, `null` inside
 * the array is read as `''`, and `null` in place of the array is read as an empty list. Returns `undefined` for any
 * other text, such as a JSON array that contains a number.
 */
export function parseStrings(json: string): readonly string[] | undefined {
  return parseList(json, '', (member) => typeof member === 'string');
}

/**
 * Parses a JSON array of numbers in the same way as {@link parseStrings} parses strings. As in Go, `null` inside the
 * array is read as 0.
 */
export function parseNumbers(json: string): readonly number[] | undefined {
  return parseList(json, 0, (member): member is number => Number.isFinite(member));
}

function parseList<T>(json: string, ofNull: T, isMember: (member: unknown) => member is T) {
  const list = parsedJson(json);
  if (list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const members = list.map((member: unknown) => member ?? ofNull);
  return members.every(isMember) ? members : undefined;
}
