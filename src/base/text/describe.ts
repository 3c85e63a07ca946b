/** Control characters, invisible ones, and those that change the direction of text. */
export const STEERING = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** On one line, and without control of a terminal: `JSON.stringify` alone keeps control characters beyond ASCII. */
export function quoted(text: string): string {
  return unsteered(JSON.stringify(text));
}

/** For text that contains quotes already, such as the message of an error that quotes its input. */
export function unsteered(text: string): string {
  return text.replace(STEERING, (found) => Array.from(found, escaped).join(''));
}

/** Keeps line breaks. */
export function unsteeredLines(text: string): string {
  return text.split('\n').map(unsteered).join('\n');
}

const MOST_OF_SENTENCE = 300;
const MOST_OF_VALUE = 100;

/** The beginning of a text that was not written as a message, such as a web page. */
export function oneLine(text: string): string {
  return text.slice(0, MOST_OF_SENTENCE).replace(STEERING, ' ').trim();
}

export function beginningOf(text: string): string {
  return text.length > MOST_OF_VALUE ? `${text.slice(0, MOST_OF_VALUE)}…` : text;
}

/** In quotes, with the number of those that are left out. */
export function firstOf(names: readonly string[], count = 10): string {
  const named = names.slice(0, count).map((name) => quoted(beginningOf(name)));
  const more = names.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}

/** Such as `null`, `a list`, `a string`, for a message that must not show the value. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Not a list, Map, Headers, date or promise, whose content is not in own members. */
export function isPlainObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}

/** Such as `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.slice(-1).join()}`;
}

export function isShallow(value: unknown, levels: number): boolean {
  if (!isObject(value)) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}

/** Also for promises of other realms and libraries. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return isObject(value) && 'then' in value && typeof value.then === 'function';
}

/** For what a user's function returned wrongly. A promise's rejection is caught: uncaught, it can end the process. */
export function kindReturned(value: unknown): string {
  if (!isPromiseLike(value)) return kindOf(value);
  Promise.resolve(value).catch(() => undefined);
  return 'a promise';
}

export function unlessItThrows<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

/** For a user's function whose outcome nobody needs. A rejection is dropped. */
export function harmlessly(call: () => unknown): void {
  unlessItThrows(() => kindReturned(call()));
}

/** Anything can be thrown. Never throws itself: that would hide the failure. */
export function messageOf(error: unknown): string {
  const message = unlessItThrows(() => String(error instanceof Error ? error.message : error));
  return message === undefined ? 'an error without a message' : unsteeredLines(message);
}
