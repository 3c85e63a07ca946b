/** A value in the form in which constraints compare it. */
export type Value = string | number | bigint | boolean;

/** Reads a value of one type as the service does; returns `undefined` if the text cannot be parsed. */
export type Parse = (text: string) => Value | undefined;

/**
 * A text that constraints compare. A short text stays a string that each constraint parses again, because this costs
 * less than remembering the result.
 */
export type ComparedText = string | LongText;

/** The result of parsing a text of at most this many characters is not remembered. */
const SHORT = 128;

/**
 * Returns whether a text counts as no value for a constraint. By the service's rule, an empty text counts as no value.
 */
export const isNone = (given: ComparedText): boolean => given === '';

export function comparedText(text: string): ComparedText {
  return text.length <= SHORT ? text : new LongText(text);
}

export function textOf(given: ComparedText): string {
  return typeof given === 'string' ? given : given.text;
}

/** Returns the text without white space at both ends, as the service trims it. */
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

/** A long text, which is trimmed and parsed as each type at most once, however many constraints compare it. */
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

/** Removes white space at both ends, as the service does. */
export function trimSpace(text: string): string {
  const start = endOfSpace(text);
  let end = text.length;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Returns whether trimming would leave nothing of the text. */
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
