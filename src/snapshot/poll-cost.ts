import type { Clock } from '../base/time/clock.js';

/*
 * This file limits what polls cost Flipt. A poll that finds no change costs almost nothing. A whole snapshot is slow if
 * 20 times its duration is more than `watch.pollMs`. If two whole snapshots in a row were slow, and both came within
 * ten minutes, the provider waits before its next poll. The wait is 20 times the duration of the faster one of the two,
 * but at most five minutes. The durations are neither kept across restarts nor shared between instances.
 */

/** Flipt spends at most one part in this many of its time on whole snapshots for this instance. */
const SHARE = 20;
const WITHIN_MS = 600_000;
const LONGEST_INTERVAL_MS = 300_000;

/** What the last poll has cost Flipt. Times are milliseconds of the clock's `now`. */
export interface PollCost {
  /** The next poll is due after this many milliseconds, if that is more than `watch.pollMs`. */
  readonly intervalMs: number;
  /** Until this time, the provider does not fetch what the stream announces. */
  readonly sparedUntil: number;
  /** The milliseconds that a whole snapshot probably takes Flipt, or 0 if this instance has got none. */
  readonly wholeMs: number;
}

export const NO_COST: PollCost = { intervalMs: 0, sparedUntil: -Infinity, wholeMs: 0 };

/** Remembers the durations of the last two whole snapshots. */
export class WholeSnapshots {
  private lastMs = Infinity;
  private lastAt = -Infinity;
  private cost = NO_COST;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /**
   * Call this when Flipt has sent a whole snapshot. `ms` is its duration, which includes pauses of Flipt, queues, and
   * times in which this process's event loop was blocked.
   */
  sent(ms: number): PollCost {
    const at = this.clock.now();
    const wholeMs = Math.min(ms, this.lastMs);
    const intervalMs = at - this.lastAt <= WITHIN_MS ? Math.min(SHARE * wholeMs, LONGEST_INTERVAL_MS) : 0;
    this.lastMs = ms;
    this.lastAt = at;
    this.cost = { intervalMs, sparedUntil: at + intervalMs, wholeMs };
    return this.cost;
  }

  /** Returns the cost when the last poll has found no change, or when there was no poll yet. */
  unchanged(): PollCost {
    return { ...this.cost, intervalMs: 0 };
  }
}
