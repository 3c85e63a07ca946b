import type { Clock } from '../clock.js';

/** More warnings than this would only fill the log. */
const MOST_SUGGESTIONS = 20;
const MOST_REMEMBERED = 1_000;
const CLOSE = 2;

/**
 * Looks for the flag that was meant, once for each key that is missing and at most 20 times. Other missing keys are
 * normal: they may be another provider's. One key is looked at in each turn of the event loop, for there may be many
 * flags.
 */
export function misspeltKeys(
  known: () => Iterable<string>,
  suggest: (key: string, like: string) => void,
  clock: Pick<Clock, 'endOfTurn'>,
): { readonly missing: (key: string) => void } {
  const seen = new Set<string>();
  const waiting: string[] = [];
  let suggestions = 0;

  const lookAtOne = () => {
    const key = waiting.shift();
    if (key === undefined || suggestions >= MOST_SUGGESTIONS) return;
    const like = closest(key, known());
    if (like !== undefined) {
      suggestions++;
      suggest(key, like);
    }
    if (waiting.length > 0) clock.endOfTurn(lookAtOne);
  };

  return {
    missing(key) {
      if (suggestions >= MOST_SUGGESTIONS || seen.size >= MOST_REMEMBERED || seen.has(key)) return;
      seen.add(key);
      if (waiting.push(key) === 1) clock.endOfTurn(lookAtOne);
    },
  };
}

function closest(key: string, known: Iterable<string>): string | undefined {
  let found: string | undefined;
  // A key of two letters is close to every other one.
  let limit = Math.min(CLOSE, key.length - 1);
  for (const other of known) {
    const apart = distance(key, other, limit);
    if (apart > limit || apart === 0) continue;
    found = other;
    limit = apart - 1;
  }
  return found;
}

/** Levenshtein's distance; `limit` + 1 where it is larger than that. */
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
