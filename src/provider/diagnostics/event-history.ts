import type { Clock } from '../../base/time/clock.js';
import type { FailureKind } from '../../model/failure.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import type { CircuitState, StreamState, WatchCondition } from '../../model/events/flipt-event.js';

/**
 * The newest states that events have reported. `circuit`, `watch` and `stream` are absent until an event reports them.
 */
export interface Latest {
  /** The state of the circuit breaker, and the time when this state began, in milliseconds since the epoch. */
  readonly circuit?: { readonly state: CircuitState; readonly at: number };
  readonly watch?: WatchCondition;
  readonly stream?: StreamState;
}

/** The numbers of events since the provider was created. A count never decreases. */
export interface EventCounts {
  readonly hits: number;
  readonly staleHits: number;
  readonly joined: number;
  readonly misses: number;
  /**
   * The number of HTTP requests to Flipt that have ended, without requests for the stream of changes. A retry counts as
   * another request.
   */
  readonly attempts: number;
  /** The number of HTTP requests that failed, for each kind of failure. */
  readonly failed: Readonly<Partial<Record<FailureKind, number>>>;
  readonly retried: number;
  /**
   * The number of questions (each is a flag and a context) that the provider did not send to Flipt because of overload.
   */
  readonly shed: number;
  readonly polls: number;
  readonly failedPolls: number;
  /** The number of changes of flags that the provider has noticed. A flag that changes twice counts twice. */
  readonly changedFlags: number;
  /** The number of tracking events that `tracking.send` has accepted. */
  readonly trackingSent: number;
  readonly trackingLost: number;
}

type Counted = Exclude<keyof EventCounts, 'failed'>;

/** Counts the provider's events, and remembers the newest states that events have reported. */
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
  private newest: Latest = {};

  constructor(private readonly clock: Pick<Clock, 'date'>) {}

  counts(): EventCounts {
    return { ...this.sums, failed: { ...this.failed } };
  }

  latest(): Latest {
    return this.newest;
  }

  /**
   * From this call on, counts the events of `diagnostics` in addition to earlier events. The states that earlier events
   * reported are forgotten, because `attach` is called only when the provider is created or is started again.
   */
  attach({ listen }: Pick<Diagnostics, 'listen'>): void {
    const { sums, failed } = this;
    this.newest = {};
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
    listen('watch-changed', ({ state }) => {
      become({ watch: state });
    });
    listen('stream-changed', ({ state }) => {
      become({ stream: state });
    });
  }
}
