import { isMap, isScalar, isSeq } from 'yaml';

/**
 * Where a key of a mapping repeats an earlier one, as offsets in the text. The parser's own check compares each key with
 * all before it: the square of their number.
 */
export function repeatedKeys(node: unknown): readonly number[] {
  const found: number[] = [];
  lookInto(node);
  return found;

  function lookInto(part: unknown): void {
    if (isSeq(part)) for (const item of part.items) lookInto(item);
    if (!isMap(part)) return;
    const seen = new Set<unknown>();
    for (const { key, value } of part.items) {
      if (isScalar(key)) {
        if (seen.has(key.value)) found.push(key.range?.[0] ?? 0);
        seen.add(key.value);
      }
      lookInto(key);
      lookInto(value);
    }
  }
}
