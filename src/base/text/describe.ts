/** Control characters, invisible characters, and those that change the direction of text. */
export const STEERING = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/**
 * Text from outside, safe for a message: in quotes, in one line, and without control over a terminal. `JSON.stringify`
 * alone would keep control characters beyond ASCII.
 */
export function quoted(text: string): string {
  return unsteered(JSON.stringify(text));
}

/** The same for words without quotes, such as the message of an error that quotes its input. */
export function unsteered(text: string): string {
  return text.replace(STEERING, (found) => Array.from(found, escaped).join(''));
}

/** The same for a message that has several lines. */
export function unsteeredLines(text: string): string {
  return text.split('\n').map(unsteered).join('\n');
}

/** How much of a text from outside a message shows, in characters: of a sentence, and of a value. */
const MOST_OF_SENTENCE = 300;
const MOST_OF_VALUE = 100;

/**
 * The same for a text that was not written to be quoted, such as a page: only its beginning, and without line breaks.
 */
export function oneLine(text: string): string {
  return text.slice(0, MOST_OF_SENTENCE).replace(STEERING, ' ').trim();
}

/** The beginning of a value that may be long. */
export function beginningOf(text: string): string {
  return text.length > MOST_OF_VALUE ? `${text.slice(0, MOST_OF_VALUE)}…` : text;
}

/** The first of these names, in quotes, and how many more there are. */
export function firstOf(names: readonly string[], most = 10): string {
  const named = names.slice(0, most).map((name) => quoted(beginningOf(name)));
  const more = names.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}

/** The kind of a value, for a message that must not show the value: `null`, `a list`, `an object`, `a string`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * Whether the object's own members are all of its content. Lists, Maps, Headers, dates and promises are objects, too,
 * but their content would be overlooked.
 */
export function isPlainObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether the value is an object but no list, as JSON has them. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}

/** Such as `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.slice(-1).join()}`;
}

/** Whether lists and objects are nested at most so many levels deep. */
export function isShallow(value: unknown, levels: number): boolean {
  if (!isObject(value)) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}

/** Whether the value can be awaited. Promises of other realms and libraries are not instances of `Promise`. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return isObject(value) && 'then' in value && typeof value.then === 'function';
}

/**
 * The kind of what a user's function returned in place of what it should. Nobody needs the outcome of a promise then,
 * and its rejection would end the process.
 */
export function kindReturned(value: unknown): string {
  if (!isPromiseLike(value)) return kindOf(value);
  Promise.resolve(value).catch(() => undefined);
  return 'a promise';
}

/** What the call returns; `undefined` if it throws. */
export function unlessItThrows<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

/** Calls a function of the user's whose outcome nobody needs. Never throws; a promise that it returns may reject. */
export function harmlessly(call: () => unknown): void {
  unlessItThrows(() => kindReturned(call()));
}

/**
 * The message of anything that was thrown, which need not be an error; it may have several lines. Never throws, because
 * that would hide the failure.
 */
export function messageOf(error: unknown): string {
  const message = unlessItThrows(() => String(error instanceof Error ? error.message : error));
  return message === undefined ? 'an error without a message' : unsteeredLines(message);
}

/* What users pass in many places: one check and one message. `owner` begins the message, and names the argument. */

/** Throws a TypeError for what is no evaluation context. */
export function checkContext(
  owner: string,
  given: unknown,
): asserts given is Readonly<Record<string, unknown>> {
  if (isRecord(given) && !isPromiseLike(given)) return;
  throw new TypeError(`${owner}: expected an object such as { targetingKey: … }, got ${kindReturned(given)}`);
}

/** Throws a TypeError for what is no text. */
export function checkFlagKey(owner: string, given: unknown): void {
  if (typeof given !== 'string') throw new TypeError(`${owner}: expected a flag key, which is a string`);
}

export function isFlagKeys(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((flagKey) => typeof flagKey === 'string');
}

/** Throws a TypeError for what is no list of texts. */
export function checkFlagKeys(owner: string, given: unknown): void {
  if (isFlagKeys(given)) return;
  const got = Array.isArray(given) ? 'a list of other things' : kindReturned(given);
  throw new TypeError(`${owner}: expected a list of flag keys, got ${got}`);
}
