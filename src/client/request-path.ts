/**
 * Fills encoded parts into a pattern: `{key}` is replaced by the part of that name. A part of dots only is encoded too,
 * because `..` would lead to another path. Throws a TypeError for an empty part and for one that is no well-formed text.
 */
export function pathOf(pattern: string, parts: Readonly<Record<string, string>> = {}): string {
  return Object.entries(parts).reduce(
    (path, [name, part]) => path.replace(`{${name}}`, () => encoded(name, part)),
    pattern,
  );
}

function encoded(name: string, part: unknown): string {
  if (typeof part !== 'string') throw new TypeError(`${name}: expected text, got ${typeof part}`);
  if (part === '') throw new TypeError(`${name}: expected text, got ''`);
  if (!part.isWellFormed())
    throw new TypeError(`${name}: expected well-formed Unicode, got a lone surrogate`);
  return /^\.{1,2}$/.test(part) ? '%2E'.repeat(part.length) : encodeURIComponent(part);
}

/** `?limit=2&offset=4`; leaves out what is undefined. */
export function queryOf(members: Readonly<Record<string, string | number | undefined>> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}
