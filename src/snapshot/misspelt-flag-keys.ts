import { nextTurn, pausing, type Turns } from '../time/pausable-steps.js';
import { closestTo } from '../text/closest-name.js';

/** More warnings than this would only fill the log. */
const MOST_SUGGESTIONS = 20;
const MOST_REMEMBERED = 1_000;
/** Characters that are compared in a millisecond, or in half of one. */
const LENGTH_PER_MS = 10_000;

/**
 * Suggests the flag that was probably meant: once for each missing key, and at most 20 times. Other missing keys are
 * normal, because they may belong to another provider. Compares with some flags in each turn of the event loop, and
 * never in the turn of the resolve.
 */
export function misspeltKeys(
  known: () => Iterable<string>,
  suggest: (key: string, like: string) => void,
  clock: Turns,
): { readonly missing: (key: string) => void } {
  const seen = new Set<string>();
  let suggestions = 0;
  let looking: Promise<void> = Promise.resolve();

  const lookFor = async (key: string) => {
    await nextTurn(clock);
    if (suggestions >= MOST_SUGGESTIONS) return;
    const pause = pausing(LENGTH_PER_MS, clock);
    const search = closestTo(key);
    for (const name of known()) {
      search.compare(name);
      const turn = pause(name.length + 1);
      if (turn !== undefined) await turn;
    }
    const like = search.found();
    if (like === undefined) return;
    suggestions++;
    suggest(key, like);
  };

  return {
    missing(key) {
      if (suggestions >= MOST_SUGGESTIONS || seen.size >= MOST_REMEMBERED || seen.has(key)) return;
      seen.add(key);
      looking = looking.then(() => lookFor(key));
    },
  };
}
