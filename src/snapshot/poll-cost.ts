import type { Clock } from '../base/time/clock.js';

/*
 * What polls cost Flipt. A poll that finds no change costs nothing. If a poll gets a whole snapshot, and this one and the
 * one before, both within ten minutes, were slow, the next poll comes after 20 times the duration of the shorter one, at
 * most after five minutes. A whole snapshot is slow if 20 times its duration is more than `watch.pollMs`. Nothing of it
 * is kept across restarts, or shared.
 */

/** Of its time, Flipt spends at most one part in so many on whole snapshots for this instance. */
const SHARE = 20;
const WITHIN_MS = 600_000;
const LONGEST_INTERVAL_MS = 300_000;

/** What the last poll has cost. Times are milliseconds of the clock's `now`. */
export interface PollCost {
  /** The next poll is due after so many milliseconds, if that is more than `watch.pollMs`. */
  readonly intervalMs: number;
  /** Until then, what the stream announces is not fetched. */
  readonly sparedUntil: number;
  /** Milliseconds that a whole snapshot probably takes Flipt; 0 if this instance has got none. */
  readonly wholeMs: number;
}

export const NO_COST: PollCost = { intervalMs: 0, sparedUntil: -Infinity, wholeMs: 0 };

/** The durations of the last two whole snapshots. */
export class WholeSnapshots {
  private lastMs = Infinity;
  private lastAt = -Infinity;
  private cost = NO_COST;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Flipt has sent a whole one, in so many milliseconds: pauses, queues and blocks of our own event loop included. */
  sent(ms: number): PollCost {
    const at = this.clock.now();
    const wholeMs = Math.min(ms, this.lastMs);
    const intervalMs = at - this.lastAt <= WITHIN_MS ? Math.min(SHARE * wholeMs, LONGEST_INTERVAL_MS) : 0;
    this.lastMs = ms;
    this.lastAt = at;
    this.cost = { intervalMs, sparedUntil: at + intervalMs, wholeMs };
    return this.cost;
  }

  /** The last poll has found no change, or there was none yet. */
  unchanged(): PollCost {
    return { ...this.cost, intervalMs: 0 };
  }
}
