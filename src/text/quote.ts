/** Control characters, and what turns the direction of writing or cannot be seen. */
const STEERING = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/**
 * Text from outside as it may stand in a message: in quotes, in one line, and steering no terminal. JSON alone leaves
 * the control characters beyond ASCII as they are.
 */
export function quoted(text: string): string {
  return unsteered(JSON.stringify(text));
}

/** The same for words that stand without quotes, such as the message of an error that quotes what it met. */
export function unsteered(text: string): string {
  return text.replace(STEERING, (found) => Array.from(found, escaped).join(''));
}

/** The same for words that were not written to be quoted, such as a page: with spaces, and 300 characters at most. */
export function oneLine(text: string): string {
  return text.slice(0, 300).replace(STEERING, ' ').trim();
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}
