import { quoted } from './quote.js';

const CLOSE = 2;

/** Ends a message about an unknown name: `; did you mean "cache"?`. Empty if none is close. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const like = closest(given, known);
  return like === undefined ? '' : `; did you mean ${quoted(like)}?`;
}

/** The name that was probably meant; at most two typing mistakes away. */
export function closest(key: string, known: Iterable<string>): string | undefined {
  let found: string | undefined;
  // A key of two letters is within two mistakes of every other one.
  let limit = Math.min(CLOSE, key.length - 1);
  for (const other of known) {
    const apart = distance(key, other, limit);
    if (apart > limit || apart === 0) continue;
    found = other;
    limit = apart - 1;
  }
  return found;
}

/** Levenshtein's distance; `limit` + 1 if it is larger than `limit`. */
export function distance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const above = row;
    row = [at];
    for (let to = 1; to <= other.length; to++) {
      const replaced = cell(above, to - 1) + (one.charAt(at - 1) === other.charAt(to - 1) ? 0 : 1);
      row.push(Math.min(replaced, cell(above, to) + 1, cell(row, to - 1) + 1));
    }
    if (Math.min(...row) > limit) return limit + 1;
  }
  return Math.min(cell(row, other.length), limit + 1);
}

function cell(row: readonly number[], at: number): number {
  return row[at] ?? Infinity;
}
