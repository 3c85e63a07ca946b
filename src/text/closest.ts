import { quoted } from './quote.js';

const CLOSE = 2;

/** Ends a message about an unknown name: `; did you mean "cache"?`. Empty if none is close. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const like = closest(given, known);
  return like === undefined ? '' : `; did you mean ${quoted(like)}?`;
}

/** The name that was probably meant; at most two typing mistakes away. */
export function closest(key: string, known: Iterable<string>): string | undefined {
  const search = closestTo(key);
  for (const other of known) search.compare(other);
  return search.found();
}

/** The same search, name by name, for those who pause in between. */
export function closestTo(key: string): {
  readonly compare: (name: string) => void;
  readonly found: () => string | undefined;
} {
  let found: string | undefined;
  // A key of two letters is within two mistakes of every other one.
  let limit = Math.min(CLOSE, key.length - 1);
  return {
    compare(name) {
      const apart = distance(key, name, limit);
      if (apart > limit || apart === 0) return;
      found = name;
      limit = apart - 1;
    },
    found: () => found,
  };
}

/** Levenshtein's distance; `limit` + 1 if it is larger than `limit`. Reads each text at most 3 ** `limit` times. */
export function distance(one: string, other: string, limit: number): number {
  return Math.abs(one.length - other.length) > limit ? limit + 1 : tailDistance(one, 0, other, 0, limit);
}

/** The same for the texts from two positions on. Equal beginnings always cost nothing. */
function tailDistance(one: string, at: number, other: string, to: number, limit: number): number {
  let skipped = 0;
  while (at + skipped < one.length && one.charCodeAt(at + skipped) === other.charCodeAt(to + skipped))
    skipped++;
  const [next, nextTo] = [at + skipped, to + skipped];
  const longest = Math.max(one.length - next, other.length - nextTo);
  if (longest === 0) return 0;
  if (limit === 0) return 1;
  if (next === one.length || nextTo === other.length) return Math.min(longest, limit + 1);
  const replaced = tailDistance(one, next + 1, other, nextTo + 1, limit - 1);
  const removed = tailDistance(one, next + 1, other, nextTo, limit - 1);
  const added = tailDistance(one, next, other, nextTo + 1, limit - 1);
  return 1 + Math.min(replaced, removed, added);
}
