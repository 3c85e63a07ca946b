/** `JSON.stringify` keeps some characters that steer a terminal. Escaped, they are the same JSON. */
export function printableJson(value: object): string {
  return JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, (found) =>
    Array.from(
      { length: found.length },
      (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
