import { pastDeadline } from '../../remote/cache/coalescing.js';
import { failedResolution, type Resolution } from '../../model/answer.js';
import type { Clock } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import { nextTurn } from '../../base/time/pausable-steps.js';

/**
 * `inPortions` resolves at most this many flags at once, so that the queue for requests has space for the questions of
 * other callers.
 */
const AT_ONCE = 1_000;

/**
 * Resolves flags in portions of at most 1,000, and lets other work run between two portions. The first portion needs no
 * timer, because each call of `resolve` ends within `withinMs` by itself. Later portions can use only the time that is
 * left of `withinMs`. A flag that `resolve` has not resolved when the time is over gets a resolution with a failure.
 * `withinMs` counts from `since`, in milliseconds of `clock.now()`. Default of `since`: now.
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
  // The caller gets a copy, because resolves that end later would change the original list.
  return [...resolved];
}
