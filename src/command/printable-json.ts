import { STEERING } from '../base/text/describe.js';

/**
 * Writes JSON that is safe to print. `JSON.stringify` leaves some characters as they are that would control a terminal.
 * This function escapes them, which does not change the value.
 */
export function printableJson(value: object): string {
  return JSON.stringify(value, null, 2).replace(STEERING, (found) =>
    // Line breaks belong to the layout, so they stay. Each half of a surrogate pair is escaped by itself.
    found.replace(/[^\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
