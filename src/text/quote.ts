/** Control characters, invisible characters, and those that change the direction of text. */
export const STEERING = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/**
 * Text from outside, safe for a message: in quotes, in one line, and without control over a terminal. `JSON.stringify`
 * alone would keep control characters beyond ASCII.
 */
export function quoted(text: string): string {
  return unsteered(JSON.stringify(text));
}

/** The same for words without quotes, such as the message of an error that quotes its input. */
export function unsteered(text: string): string {
  return text.replace(STEERING, (found) => Array.from(found, escaped).join(''));
}

/** The same for a message that has several lines. */
export function unsteeredLines(text: string): string {
  return text.split('\n').map(unsteered).join('\n');
}

/**
 * The same for a text that was not written to be quoted, such as a page: without line breaks, and at most 300
 * characters.
 */
export function oneLine(text: string): string {
  return text.slice(0, 300).replace(STEERING, ' ').trim();
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}
