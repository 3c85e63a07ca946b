/**
 * The members of an `isoneof` list: a JSON array of strings. A null in it is `''`, and no array at all but null an
 * empty one, as Go reads them. Undefined where the text is something else.
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
  const list = parse(json);
  if (list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const members: T[] = [];
  for (const member of list) {
    const value = read(member);
    if (value === undefined) return undefined;
    members.push(value);
  }
  return members;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
