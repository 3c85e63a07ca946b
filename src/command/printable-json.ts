import { STEERING } from '../base/text/describe.js';

/** Also escapes what would control a terminal and `JSON.stringify` leaves as it is. */
export function printableJson(value: object): string {
  return JSON.stringify(value, null, 2).replace(STEERING, (found) =>
    // Line breaks are the layout, and JSON escapes each half of a surrogate pair.
    found.replace(/[^\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
