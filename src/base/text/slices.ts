/** Characters of a slice. To encode, hash or write them takes about a millisecond. */
export const SLICE_LENGTH = 512 * 1024;

/** A text in slices with their places, none of which begins or ends within a character: each can be encoded by itself. */
export function* slicesOf(text: string): Generator<readonly [start: number, slice: string]> {
  for (let start = 0, end: number; start < text.length; start = end) {
    end = start + SLICE_LENGTH;
    const last = text.charCodeAt(end - 1);
    if (last >= 0xd800 && last < 0xdc00) end++;
    yield [start, text.slice(start, end)];
  }
}
