import { parsedJson } from '../../base/text/json.js';

/**
 * Reads the members of an `isoneof` list, which is a JSON array of strings. As in Go, a null in the array is read as
 * `''`, and null instead of an array as an empty list. Returns `undefined` if the text is anything else.
 */
export function parseStrings(json: string): readonly string[] | undefined {
  return parseList(json, '', (member) => typeof member === 'string');
}

/** Reads a JSON array of numbers in the same way as {@link parseStrings}. A null in the array is read as 0. */
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
