import { pastDeadline } from '../../remote/cache/coalescing.js';
import { failedResolution, type Resolution } from '../../model/answer.js';
import type { Clock } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import { nextTurn } from '../../base/time/pausable-steps.js';

/**
 * At most this many flags are asked for at once, because the questions of other callers must find room in the queue as
 * well.
 */
const AT_ONCE = 1_000;

/**
 * Resolves a portion of the flags at once, and lets other work run before the next portion. In the first portion, each
 * resolve ends within `withinMs` by itself. Later portions have only the rest of that time, and flags that are not
 * resolved within it have failed. The time counts from `since`, which is now by default.
 */
export async function inPortions<Flag>(
  flags: readonly Flag[],
  resolve: (flag: Flag) => Resolution | Promise<Resolution>,
  withinMs: number,
  clock: Clock,
  since = clock.now(),
): Promise<readonly (readonly [Flag, Resolution])[]> {
  const until = since + withinMs;
  const late = failedResolution(pastDeadline(withinMs));
  const resolved = flags.map((flag): readonly [Flag, Resolution] => [flag, late]);
  for (let first = 0; first < flags.length; first += AT_ONCE) {
    if (first > 0) await nextTurn(clock);
    const leftMs = until - clock.now();
    if (leftMs <= 0) break;
    const portion = flags.slice(first, first + AT_ONCE).map(async (flag, at) => {
      resolved[first + at] = [flag, await resolve(flag)];
    });
    const ended = Promise.all(portion);
    if (first === 0) await ended;
    else if ((await orLate(ended, leftMs, clock)) === 'late') break;
  }
  // Results that come later must not change the list that the caller already has.
  return [...resolved];
}
