import { unlessItThrows } from './describe.js';

/** The value of a JSON text; `undefined` if the text is not JSON, which has no such value. `revive` as for `JSON.parse`. */
export function parsedJson(text: string, revive?: (name: string, value: unknown) => unknown): unknown {
  return unlessItThrows((): unknown => JSON.parse(text, revive));
}

/** A number in JSON's syntax: not `10px`, not `0x10`, and no date that begins with digits. */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A value as JSON text; `undefined` if it cannot be written, because it is nested too deep. */
export function writtenJson(value: unknown): string | undefined {
  return unlessItThrows(() => JSON.stringify(value));
}

/** An object as JSON has it: later changes of the original do not reach the copy. A bigint is text. May throw. */
export function plainCopy(value: object): Readonly<Record<string, unknown>> {
  const json = JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
  return JSON.parse(json) as Readonly<Record<string, unknown>>;
}

/**
 * Whether a JSON text holds more than so many values. `JSON.parse` would need 50 bytes for each, and would hold up the
 * event loop: two bytes may hold a value.
 */
export function hasMoreValues(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let values = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === 0x5c) at++;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if (code === 0x2c || code === 0x5b || code === 0x7b) {
      if (++values > most) return true;
    }
  }
  return false;
}
