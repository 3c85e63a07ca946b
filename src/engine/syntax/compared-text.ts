/** A value that a constraint compares, after it was parsed as the constraint's type. */
export type Value = string | number | bigint | boolean;

/**
 * Parses a text as one of the comparison types, in the same way as Flipt. Returns `undefined` if the text cannot be
 * parsed.
 */
export type Parse = (text: string) => Value | undefined;

/**
 * The text of an attribute or of the entity's id, which constraints compare. A short text stays a string and is parsed
 * again for each constraint, because parsing a short text costs less than storing the result.
 */
export type ComparedText = string | LongText;

/** If a text has at most this number of characters, the result of parsing the text is not stored. */
const SHORT = 128;

/** Returns whether the text counts as a missing value. As in Flipt, an empty text counts as a missing value. */
export const isNone = (given: ComparedText): boolean => given === '';

export function comparedText(text: string): ComparedText {
  return text.length <= SHORT ? text : new LongText(text);
}

export function textOf(given: ComparedText): string {
  return typeof given === 'string' ? given : given.text;
}

/** Returns the text without the white space at its beginning and end. */
export function trimmedOf(given: ComparedText): string {
  return typeof given === 'string' ? trimSpace(given) : given.trimmed();
}

/** Returns whether the text is empty or holds only white space. */
export function isBlankText(given: ComparedText): boolean {
  return typeof given === 'string' ? isBlank(given) : given.trimmed() === '';
}

export function parsedOf(given: ComparedText, parse: Parse): Value | undefined {
  return typeof given === 'string' ? parse(given) : given.parsed(parse);
}

/**
 * A long text, which is trimmed at most once and parsed at most once as each type, however many constraints compare it.
 */
class LongText {
  private withoutSpace: string | undefined;
  private readonly values = new Map<Parse, Value | undefined>();

  constructor(readonly text: string) {}

  trimmed(): string {
    return (this.withoutSpace ??= trimSpace(this.text));
  }

  parsed(parse: Parse): Value | undefined {
    const cached = this.values.get(parse);
    if (cached !== undefined || this.values.has(parse)) return cached;
    const value = parse(this.text);
    this.values.set(parse, value);
    return value;
  }
}

/** Removes the white space at the beginning and the end of a text, in the same way as Flipt. */
export function trimSpace(text: string): string {
  const start = endOfSpace(text);
  let end = text.length;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Returns whether the text is empty or contains only white space. */
export function isBlank(text: string): boolean {
  return endOfSpace(text) === text.length;
}

function endOfSpace(text: string): number {
  let end = 0;
  while (end < text.length && isSpace(text.charCodeAt(end))) end++;
  return end;
}

// A character counts as white space if Go's strings.TrimSpace trims it. Unlike String.prototype.trim, strings.TrimSpace
// trims U+0085 but not U+FEFF.
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0x85 || code === 0xa0;
  if (code >= 0x2000 && code <= 0x200a) return true;
  return SPARSE.has(code);
}

const SPARSE: ReadonlySet<number> = new Set([0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]);
