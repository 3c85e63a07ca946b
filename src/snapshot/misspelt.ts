import type { Clock } from '../clock.js';
import { closest } from '../text/closest.js';

/** More warnings than this would only fill the log. */
const MOST_SUGGESTIONS = 20;
const MOST_REMEMBERED = 1_000;

/**
 * Suggests the flag that was probably meant: once for each missing key, and at most 20 times. Other missing keys are
 * normal, because they may belong to another provider. Looks at one key in each turn of the event loop, because there
 * may be many flags.
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
