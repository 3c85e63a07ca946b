/** `JSON.stringify` keeps some characters that steer a terminal. Escaped, they are the same JSON. */
export function printableJson(value: object): string {
  return JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, (found) =>
    // Each half of a surrogate pair by itself.
    found.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
