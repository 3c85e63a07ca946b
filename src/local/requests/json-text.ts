/**
 * A string without its closing quote counts to its end: looking again from each of its quotes would take the square of
 * its length.
 */
const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"?|[ \t\r\n]+/gs;

/** JSON text without the white space between its tokens; otherwise as it was written. Expects valid JSON of a few MB. */
export function compactJson(json: string): string {
  return json.replace(STRING_OR_SPACE, (part) => (part.startsWith('"') ? part : ''));
}
