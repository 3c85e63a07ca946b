/** This pattern matches control characters, invisible characters, and characters that change the direction of text. */
export const STEERING = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/**
 * Makes text from outside safe for a message: the result is in quotes and on one line, and cannot control a terminal.
 * `JSON.stringify` alone would keep control characters beyond ASCII.
 */
export function quoted(text: string): string {
  return unsteered(JSON.stringify(text));
}

/**
 * Escapes the characters that would control a terminal, as {@link quoted} does, but adds no quotes. This function is
 * for text that contains quotes already, such as the message of an error that quotes its input.
 */
export function unsteered(text: string): string {
  return text.replace(STEERING, (found) => Array.from(found, escaped).join(''));
}

/** Does what {@link unsteered} does, but keeps line breaks. */
export function unsteeredLines(text: string): string {
  return text.split('\n').map(unsteered).join('\n');
}

const MOST_OF_SENTENCE = 300;
const MOST_OF_VALUE = 100;

/**
 * Returns the beginning of a text that was not written as a message, such as a web page, in one line. Spaces replace
 * line breaks and characters that control a terminal.
 */
export function oneLine(text: string): string {
  return text.slice(0, MOST_OF_SENTENCE).replace(STEERING, ' ').trim();
}

/** Returns a value for a message, and shortens the value if it is long. */
export function beginningOf(text: string): string {
  return text.length > MOST_OF_VALUE ? `${text.slice(0, MOST_OF_VALUE)}…` : text;
}

/** Lists the first `count` names in quotes, and says how many more names there are. */
export function firstOf(names: readonly string[], count = 10): string {
  const named = names.slice(0, count).map((name) => quoted(beginningOf(name)));
  const more = names.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}

/**
 * Returns the kind of a value, for a message that must not show the value: `null`, `a list`, `an object`, `a string`.
 */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * Returns whether a value is an object whose content consists of its own members. Lists, Maps, Headers, dates and
 * promises are objects, too, but code that reads own members would overlook the content of these objects.
 */
export function isPlainObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns whether a value is an object and not a list. JSON also distinguishes objects from lists. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}

/** Joins words to a text such as `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.slice(-1).join()}`;
}

/** Returns whether lists and objects in a value are nested at most `levels` deep. */
export function isShallow(value: unknown, levels: number): boolean {
  if (!isObject(value)) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}

/**
 * Returns whether a value can be awaited. For promises of other realms and libraries, `instanceof Promise` is false.
 */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return isObject(value) && 'then' in value && typeof value.then === 'function';
}

/**
 * Returns the kind of a value that a user's function has returned although it should have returned something else. If
 * the value is a promise, its rejection is caught, because nobody awaits the promise and an uncaught rejection can end
 * the process.
 */
export function kindReturned(value: unknown): string {
  if (!isPromiseLike(value)) return kindOf(value);
  Promise.resolve(value).catch(() => undefined);
  return 'a promise';
}

/** Returns what the call returns, or `undefined` if it throws. */
export function unlessItThrows<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

/**
 * Calls a user's function whose outcome nobody needs. Never throws. If the function returns a promise that rejects, the
 * rejection is dropped.
 */
export function harmlessly(call: () => unknown): void {
  unlessItThrows(() => kindReturned(call()));
}

/**
 * Returns the message of anything that was thrown, which need not be an error. The message can have several lines.
 * Never throws, because an error of this function would hide the failure.
 */
export function messageOf(error: unknown): string {
  const message = unlessItThrows(() => String(error instanceof Error ? error.message : error));
  return message === undefined ? 'an error without a message' : unsteeredLines(message);
}

/*
 * Many functions of this package take a context or flag keys from users. With the functions below, each kind of value
 * has one check and one error message. The error message begins with `owner`, which names the argument.
 */

/** Throws a TypeError if a value is not an evaluation context. */
export function checkContext(
  owner: string,
  given: unknown,
): asserts given is Readonly<Record<string, unknown>> {
  if (isRecord(given) && !isPromiseLike(given)) return;
  throw new TypeError(`${owner}: expected an object such as { targetingKey: … }, got ${kindReturned(given)}`);
}

/** Throws a TypeError if a value is not a flag key, which is a string. */
export function checkFlagKey(owner: string, given: unknown): void {
  if (typeof given !== 'string') throw new TypeError(`${owner}: expected a flag key, which is a string`);
}

export function isFlagKeys(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((flagKey) => typeof flagKey === 'string');
}

/** Throws a TypeError if a value is not a list of flag keys. */
export function checkFlagKeys(owner: string, given: unknown): void {
  if (isFlagKeys(given)) return;
  const got = Array.isArray(given) ? 'a list of other things' : kindReturned(given);
  throw new TypeError(`${owner}: expected a list of flag keys, got ${got}`);
}
