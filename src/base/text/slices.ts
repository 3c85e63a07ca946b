/** In characters: about a millisecond of encoding, hashing or writing. */
export const SLICE_LENGTH = 512 * 1024;

/** No slice ends within a character, so each can be encoded by itself. */
export function* slicesOf(text: string): Generator<readonly [start: number, slice: string]> {
  for (let start = 0, end: number; start < text.length; start = end) {
    end = start + SLICE_LENGTH;
    const last = text.charCodeAt(end - 1);
    if (last >= 0xd800 && last < 0xdc00) end++;
    yield [start, text.slice(start, end)];
  }
}
