import { parsedJson } from '../../base/text/json.js';

/**
 * The members of an `isoneof` list: a JSON array of strings. As in Go, a null in it is `''`, and null instead of an
 * array is an empty list. `undefined` if the text is anything else.
 */
export function parseStrings(json: string): readonly string[] | undefined {
  return parseList(json, '', (member) => typeof member === 'string');
}

/** The same for a JSON array of numbers; a null in it is 0. */
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
