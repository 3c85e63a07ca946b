import { isBlank, trimSpace } from './whitespace.js';

/** A value as a constraint compares it. */
export type Value = string | number | bigint | boolean;

/** Reads a value of one type as the service does; `undefined` if the text does not parse. */
export type Parse = (text: string) => Value | undefined;

/**
 * A text that constraints compare. A short one stays a string, which each constraint reads again: that costs less than
 * to remember what was read.
 */
export type ComparedText = string | LongText;

/** Characters of a text that is not remembered. */
const SHORT = 128;

export function comparedText(text: string): ComparedText {
  return text.length <= SHORT ? text : new LongText(text);
}

export function textOf(given: ComparedText): string {
  return typeof given === 'string' ? given : given.text;
}

/** Without white space at both ends, as the service trims. */
export function trimmedOf(given: ComparedText): string {
  return typeof given === 'string' ? trimSpace(given) : given.trimmed();
}

/** Whether there is nothing but white space. */
export function isBlankText(given: ComparedText): boolean {
  return typeof given === 'string' ? isBlank(given) : given.trimmed() === '';
}

export function parsedOf(given: ComparedText, parse: Parse): Value | undefined {
  return typeof given === 'string' ? parse(given) : given.parsed(parse);
}

/** A text that costs its length once, however many constraints compare it. */
class LongText {
  private withoutSpace: string | undefined;
  private readonly values = new Map<Parse, Value | undefined>();

  constructor(readonly text: string) {}

  trimmed(): string {
    return (this.withoutSpace ??= trimSpace(this.text));
  }

  parsed(parse: Parse): Value | undefined {
    const known = this.values.get(parse);
    if (known !== undefined || this.values.has(parse)) return known;
    const value = parse(this.text);
    this.values.set(parse, value);
    return value;
  }
}
