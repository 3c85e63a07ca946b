import { parsedJson } from '../../text/json.js';

/**
 * The members of an `isoneof` list: a JSON array of strings. As in Go, a null in it is `''`, and null instead of an
 * array is an empty list. `undefined` if the text is anything else.
 */
export function parseStrings(json: string): readonly string[] | undefined {
  return parseList(json, (member) =>
    member === null ? '' : typeof member === 'string' ? member : undefined,
  );
}

/** The same for a JSON array of numbers; a null in it is 0. */
export function parseNumbers(json: string): readonly number[] | undefined {
  return parseList(json, (member) =>
    member === null ? 0 : typeof member === 'number' && Number.isFinite(member) ? member : undefined,
  );
}

function parseList<T>(json: string, read: (member: unknown) => T | undefined): readonly T[] | undefined {
  const list = parsedJson(json);
  if (list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const members = list.map((member) => read(member)).filter((member) => member !== undefined);
  return members.length === list.length ? members : undefined;
}
