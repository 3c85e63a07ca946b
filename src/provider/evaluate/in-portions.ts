import type { Clock } from '../../time/clock.js';
import { orLate } from '../../time/in-time.js';
import { nextTurn } from '../../time/turns.js';

/** Flags that are asked for at once: the questions of other callers must find room in the queue as well. */
const AT_ONCE = 1_000;

/**
 * Calls `run` for a portion of the flags at once, and lets other work run before the next portion. Each run ends within
 * `withinMs` by itself. Those of later portions have what is left of that time: their result is `undefined` if it does not
 * come.
 */
export async function inPortions<FlagOrKey, Result>(
  flags: readonly FlagOrKey[],
  run: (flag: FlagOrKey) => Result | Promise<Result>,
  withinMs: number,
  clock: Clock,
): Promise<readonly (Result | undefined)[]> {
  const until = clock.now() + withinMs;
  const results = flags.map((): Result | undefined => undefined);
  for (let first = 0; first < flags.length; first += AT_ONCE) {
    if (first > 0) await nextTurn(clock);
    const leftMs = until - clock.now();
    if (leftMs <= 0) break;
    const portion = flags.slice(first, first + AT_ONCE).map(async (flag, at) => {
      results[first + at] = await run(flag);
    });
    const ended = Promise.all(portion);
    if (first === 0) await ended;
    else if ((await orLate(ended, leftMs, clock)) === 'late') break;
  }
  // What still comes must not change what the caller has.
  return [...results];
}
