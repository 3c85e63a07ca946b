import { STEERING } from '../base/text/describe.js';

/** `JSON.stringify` keeps some characters that steer a terminal. Escaped, they are the same JSON. */
export function printableJson(value: object): string {
  return JSON.stringify(value, null, 2).replace(STEERING, (found) =>
    // Line breaks are those of the layout. Each half of a surrogate pair by itself.
    found.replace(/[^\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
