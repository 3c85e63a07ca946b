/** Control characters, and what turns the direction of writing or cannot be seen. */
const STEERING = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/**
 * Text from outside as it may stand in a message: in quotes, in one line, and steering no terminal. JSON alone leaves
 * the control characters beyond ASCII as they are.
 */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(STEERING, escaped);
}

/** The same for words that stand without quotes, such as the message of an error that quotes what it met. */
export function unsteered(text: string): string {
  return text.replace(STEERING, escaped);
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}
