import { unlessItThrows } from './describe.js';

/**
 * Returns the value of a JSON text, or `undefined` if the text is not JSON. `revive` is passed to `JSON.parse` as its
 * reviver.
 */
export function parsedJson(text: string, revive?: (name: string, value: unknown) => unknown): unknown {
  return unlessItThrows((): unknown => JSON.parse(text, revive));
}

/**
 * This pattern matches a number in the syntax of JSON. The pattern does not match `10px`, `0x10`, or a date that begins
 * with digits.
 */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Returns a value as JSON text, or `undefined` if the value cannot be written, for example because it is nested too
 * deep.
 */
export function writtenJson(value: unknown): string | undefined {
  return unlessItThrows(() => JSON.stringify(value));
}

/**
 * Copies an object through JSON, so that later changes of the original do not reach the copy. A bigint in the object
 * becomes text. Throws if the object cannot be written as JSON, for example because it contains itself.
 */
export function plainCopy(value: object): Readonly<Record<string, unknown>> {
  const json = JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
  return JSON.parse(json) as Readonly<Record<string, unknown>>;
}

/**
 * Returns whether a JSON text holds more values than about `limit`. A value of two bytes of text can need 50 bytes of
 * memory after `JSON.parse`, and parsing very many values would block the event loop.
 */
export function hasMoreValues(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let values = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === 0x5c) at++;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if (code === 0x2c || code === 0x5b || code === 0x7b) {
      if (++values > limit) return true;
    }
  }
  return false;
}
