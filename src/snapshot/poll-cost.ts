import type { Clock } from '../base/time/clock.js';

/*
 * This file limits what polls cost Flipt. A poll that finds no change costs Flipt almost nothing. A whole snapshot is
 * slow if 20 times its duration is more than `watch.pollMs`. If two whole snapshots in a row were slow, and both came
 * within ten minutes, the provider waits longer before its next poll. The provider waits 20 times as long as the faster
 * of the two slow snapshots took, but at most five minutes. The durations are neither kept across restarts nor shared
 * between instances.
 */

/** Flipt spends at most a twentieth of its time on sending whole snapshots to this instance. */
const SHARE = 20;
const WITHIN_MS = 600_000;
const LONGEST_INTERVAL_MS = 300_000;

/** What the last poll has cost Flipt. Times are milliseconds of the clock's `now`. */
export interface PollCost {
  /** The milliseconds after which the next poll is due. If `watch.pollMs` is longer, that interval counts instead. */
  readonly intervalMs: number;
  /** Until this time, the provider does not fetch the changes that the stream announces. */
  readonly sparedUntil: number;
  /**
   * The milliseconds that Flipt probably needs for a whole snapshot, or 0 if this instance has received no whole
   * snapshot.
   */
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
   * To be called when Flipt has sent a whole snapshot. `ms` is the duration of the request. The duration includes
   * pauses of Flipt, queues, and times in which the event loop of this process was blocked.
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

  /** Returns the cost to assume after a poll that has found no change, or before the first poll. */
  unchanged(): PollCost {
    return { ...this.cost, intervalMs: 0 };
  }
}
