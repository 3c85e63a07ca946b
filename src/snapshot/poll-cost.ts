import type { Clock } from '../base/time/clock.js';

/*
 * This file limits what polls cost Flipt. A poll that Flipt answers with the status 304 costs Flipt almost nothing, but
 * a poll that Flipt answers with the whole snapshot can be slow. A whole snapshot counts as slow if 20 times its
 * duration is more than `watch.pollMs`. After two slow snapshots in a row within ten minutes, the provider waits longer
 * before its next scheduled poll: 20 times as long as the faster of the two snapshots took, but at most five minutes,
 * or `watch.pollMs` if that is longer. An instance that polls for all instances of a shared store does not wait longer
 * than usual, even if whole snapshots are slow. The provider measures the durations of snapshots anew after each
 * restart, and each instance measures them for itself.
 */

/**
 * After two slow snapshots, the provider waits this many times as long as the faster one took, so that Flipt usually
 * spends at most about a twentieth of its time on sending whole snapshots to this instance.
 */
const SHARE = 20;
const WITHIN_MS = 600_000;
const LONGEST_INTERVAL_MS = 300_000;

/** What the last poll has cost Flipt. Times are milliseconds of the clock's `now`. */
export interface PollCost {
  /** The next poll is due after about this many milliseconds or after `watch.pollMs`, whichever is longer. */
  readonly intervalMs: number;
  /** Before this time, the provider usually begins no poll for a change that the stream announces. */
  readonly sparedUntil: number;
  /** The milliseconds that Flipt probably needs for a whole snapshot, or 0 if that is not known. */
  readonly wholeMs: number;
}

export const NO_COST: PollCost = { intervalMs: 0, sparedUntil: -Infinity, wholeMs: 0 };

/** Computes the cost of polls from the durations of the last two whole snapshots. */
export class WholeSnapshots {
  private lastMs = Infinity;
  private lastAt = -Infinity;
  private cost = NO_COST;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /**
   * To be called when Flipt has sent a whole snapshot. `ms` is the duration of the request. The duration of the request
   * includes pauses of Flipt, queues, and times in which the event loop of this process was blocked.
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

  /** Returns the cost to assume after a poll that Flipt has answered with the status 304, or before the first poll. */
  unchanged(): PollCost {
    return { ...this.cost, intervalMs: 0 };
  }
}
