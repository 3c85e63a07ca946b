import { quoted } from './describe.js';

/** Such as `; did you mean "cache"?`, or `''`. */
export function didYouMean(given: string, names: Iterable<string>): string {
  const like = similarName(given, names);
  return like === undefined ? '' : `; did you mean ${quoted(like)}?`;
}

const MOST_MISTAKES = 2;

/** Another spelling in capitals, or at most two typing mistakes away. */
export function similarName(given: string, names: Iterable<string>): string | undefined {
  const lower = given.toLowerCase();
  let found: string | undefined;
  // All keys of two letters are within two mistakes of each other, so fewer mistakes are allowed in a short key.
  let limit = Math.min(MOST_MISTAKES, given.length - 1);
  for (const name of names) {
    const apart = name.toLowerCase() === lower ? 0 : distance(given, name, limit);
    if (apart > limit || name === given) continue;
    found = name;
    limit = apart - 1;
  }
  return found;
}

/** Levenshtein's distance, or `limit` + 1. Reads each text at most 3 ** `limit` times. */
export function distance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let same = 0;
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
