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

/** How much of a text from outside a message shows, in characters: of a sentence, and of a value. */
const MOST_OF_SENTENCE = 300;
const MOST_OF_VALUE = 100;

/**
 * The same for a text that was not written to be quoted, such as a page: only its beginning, and without line breaks.
 */
export function oneLine(text: string): string {
  return text.slice(0, MOST_OF_SENTENCE).replace(STEERING, ' ').trim();
}

/** The beginning of a value that may be long. */
export function beginningOf(text: string): string {
  return text.length > MOST_OF_VALUE ? `${text.slice(0, MOST_OF_VALUE)}…` : text;
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}
