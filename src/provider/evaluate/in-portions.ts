import type { Clock } from '../../time/clock.js';
import { nextTurn } from '../../time/turns.js';

/** Flags that are asked for at once: the questions of other callers must find room in the queue as well. */
const AT_ONCE = 1_000;

/** Calls `run` for a portion of the flags at once, and lets other work run before the next portion. */
export async function inPortions<FlagOrKey, Result>(
  flags: readonly FlagOrKey[],
  run: (flag: FlagOrKey) => Result | Promise<Result>,
  clock: Clock,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < flags.length; first += AT_ONCE) {
    if (first > 0) await nextTurn(clock);
    results.push(...(await Promise.all(flags.slice(first, first + AT_ONCE).map(run))));
  }
  return results;
}
