import { STEERING } from '../base/text/describe.js';

/**
 * Returns JSON that is safe to print: the function also escapes those characters that would control a terminal and that
 * `JSON.stringify` does not escape. The value of the JSON stays the same.
 */
export function printableJson(value: object): string {
  return JSON.stringify(value, null, 2).replace(STEERING, (found) =>
    // Line breaks are part of the layout of the JSON, so they are not escaped. Each half of a surrogate pair is escaped
    // by itself.
    found.replace(/[^\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
