import { quoted } from './describe.js';

const CLOSE = 2;

/**
 * Returns the end of a message about an unknown name, such as `; did you mean "cache"?`, or an empty text if no known
 * name is similar.
 */
export function didYouMean(given: string, names: Iterable<string>): string {
  const like = closestName(given, names);
  return like === undefined ? '' : `; did you mean ${quoted(like)}?`;
}

/** Returns the known name that differs by one or two typing mistakes, or `undefined` if there is none. */
export function closestName(given: string, names: Iterable<string>): string | undefined {
  const search = closestTo(given);
  for (const name of names) search.compare(name);
  return search.found();
}

/**
 * Returns the known name that differs only in capitals, or by one or two typing mistakes, or `undefined` if there is
 * none.
 */
export function similarName(given: string, names: Iterable<string>): string | undefined {
  const lower = given.toLowerCase();
  const search = closestTo(given);
  for (const name of names) {
    if (name !== given && name.toLowerCase() === lower) return name;
    search.compare(name);
  }
  return search.found();
}

/**
 * Finds the known name that a user probably meant by `key`. The found name differs from `key` by at most `mistakes`
 * typing mistakes, by default two. The caller passes the known names to `compare` one by one, so that the caller can
 * pause between two names.
 */
export function closestTo(key: string, mistakes = CLOSE) {
  let found: string | undefined;
  // All keys of two letters are within two mistakes of each other, so fewer mistakes are allowed in a short key.
  let limit = Math.min(mistakes, key.length - 1);
  return {
    compare(name: string): void {
      const apart = distance(key, name, limit);
      if (apart > limit || apart === 0) return;
      found = name;
      limit = apart - 1;
    },
    found: () => found,
  };
}

/**
 * Returns Levenshtein's distance, or `limit` + 1 if the distance is larger than `limit`. The function reads each text
 * at most 3 ** `limit` times.
 */
export function distance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let same = 0;
  // Equal beginnings of both texts are skipped, because only the rest of the texts needs the recursion.
  while (same < one.length && one.charCodeAt(same) === other.charCodeAt(same)) same++;
  const [rest, otherRest] = [one.slice(same), other.slice(same)];
  if (rest === otherRest) return 0;
  if (limit === 0) return 1;
  const [shorter, otherShorter] = [rest.slice(1), otherRest.slice(1)];
  const replaced = distance(shorter, otherShorter, limit - 1);
  const removed = distance(shorter, otherRest, limit - 1);
  const added = distance(rest, otherShorter, limit - 1);
  return 1 + Math.min(replaced, removed, added);
}
