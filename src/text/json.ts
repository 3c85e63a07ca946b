/** The value of a JSON text; `undefined` if the text is not JSON, which has no such value. `revive` as for `JSON.parse`. */
export function parsedJson(text: string, revive?: (name: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}
