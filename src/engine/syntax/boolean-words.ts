export const TRUE_WORDS: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];
export const FALSE_WORDS: readonly string[] = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/**
 * Parses a boolean in the same way as Flipt, which uses Go's `strconv.ParseBool`. Returns `undefined` if the text is
 * not a boolean.
 */
export function parseBoolean(text: string): boolean | undefined {
  if (TRUE_WORDS.includes(text)) return true;
  return FALSE_WORDS.includes(text) ? false : undefined;
}
