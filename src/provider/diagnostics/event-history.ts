import type { Clock } from '../../base/time/clock.js';
import type { FailureKind } from '../../model/failure.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import type { CircuitState, Problem, StreamState, WatchCondition } from '../../model/events/flipt-event.js';

/** The newest states that were reported; absent before the first report. */
export interface Latest {
  /** With the time since when it holds: milliseconds since the epoch. */
  readonly circuit?: { readonly state: CircuitState; readonly at: number };
  readonly watch?: WatchCondition;
  readonly stream?: StreamState;
  readonly problems: readonly Problem[];
}

/** What has happened since the provider was made. Never decreases. */
export interface EventCounts {
  readonly hits: number;
  readonly staleHits: number;
  readonly joined: number;
  readonly misses: number;
  /** Attempts of requests that have ended. */
  readonly attempts: number;
  /** Those of them that failed, by kind. */
  readonly failed: Readonly<Partial<Record<FailureKind, number>>>;
  readonly retried: number;
  /** Questions that were never sent. */
  readonly shed: number;
  readonly polls: number;
  readonly failedPolls: number;
  /** Flags that changed; a flag that changes twice counts twice. */
  readonly changedFlags: number;
  /** Events that `tracking.send` has taken. */
  readonly trackingSent: number;
  readonly trackingLost: number;
}

type Counted = Exclude<keyof EventCounts, 'failed'>;

/** Owns what only a listener can know: counts, and when a state began. */
export class EventHistory {
  private readonly failed: Partial<Record<FailureKind, number>> = {};
  private readonly sums: Record<Counted, number> = {
    hits: 0,
    staleHits: 0,
    joined: 0,
    misses: 0,
    attempts: 0,
    retried: 0,
    shed: 0,
    polls: 0,
    failedPolls: 0,
    changedFlags: 0,
    trackingSent: 0,
    trackingLost: 0,
  };
  private newest: Latest = { problems: [] };

  constructor(private readonly clock: Pick<Clock, 'date'>) {}

  counts(): EventCounts {
    return { ...this.sums, failed: { ...this.failed } };
  }

  latest(): Latest {
    return this.newest;
  }

  /** Counts these events, too, and keeps the counts so far. The states begin from nothing. */
  attach({ listen }: Pick<Diagnostics, 'listen'>): void {
    const { sums, failed } = this;
    this.newest = { problems: [] };
    const become = (states: Partial<Latest>) => {
      this.newest = { ...this.newest, ...states };
    };
    listen('hit', () => sums.hits++);
    listen('stale-hit', () => sums.staleHits++);
    listen('joined', () => sums.joined++);
    listen('miss', () => sums.misses++);
    listen('attempt', ({ failure }) => {
      sums.attempts++;
      if (failure !== undefined) failed[failure] = (failed[failure] ?? 0) + 1;
    });
    listen('retry', () => sums.retried++);
    listen('shed', ({ questions }) => (sums.shed += questions));
    listen('snapshot-polled', ({ failure }) => {
      sums.polls++;
      if (failure !== undefined) sums.failedPolls++;
    });
    listen('flags-changed', ({ flags }) => (sums.changedFlags += flags.length));
    listen('tracking-sent', ({ events }) => (sums.trackingSent += events));
    listen('tracking-lost', ({ events }) => (sums.trackingLost += events));
    listen('circuit-changed', ({ state }) => {
      become({ circuit: { state, at: this.clock.date() } });
    });
    listen('health-changed', ({ after }) => {
      become({ problems: [...after.keys()] });
    });
    listen('watch-changed', ({ state }) => {
      become({ watch: state });
    });
    listen('stream-changed', ({ state }) => {
      become({ stream: state });
    });
  }
}
