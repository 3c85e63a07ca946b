/** The number of characters in a slice. Encoding, hashing or writing a slice takes about a millisecond. */
export const SLICE_LENGTH = 512 * 1024;

/**
 * Yields a text in slices, each with the position at which the slice begins. No slice begins or ends within a
 * character, so that each slice can be encoded by itself.
 */
export function* slicesOf(text: string): Generator<readonly [start: number, slice: string]> {
  for (let start = 0, end: number; start < text.length; start = end) {
    end = start + SLICE_LENGTH;
    const last = text.charCodeAt(end - 1);
    if (last >= 0xd800 && last < 0xdc00) end++;
    yield [start, text.slice(start, end)];
  }
}
