import type { Clock } from '../../base/time/clock.js';
import type { FailureKind } from '../../model/failure.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import type { CircuitState, Problem, StreamState, WatchCondition } from '../../model/events/flipt-event.js';

/** The newest states that were reported; absent before the first report. */
interface Latest {
  /** With the time since when it holds: milliseconds since the epoch. */
  readonly circuit?: { readonly state: CircuitState; readonly at: number };
  readonly watch?: WatchCondition;
  readonly stream?: StreamState;
  readonly problems: readonly Problem[];
}

/** Owns what only a listener can know: counts, and when a state began. */
export function openHistory(clock: Pick<Clock, 'date'>) {
  /** Failed attempts by kind. */
  const failed: Partial<Record<FailureKind, number>> = {};
  const counts = {
    hits: 0,
    staleHits: 0,
    joined: 0,
    misses: 0,
    /** Attempts of requests that have ended. */
    attempts: 0,
    retried: 0,
    /** Questions that were never sent. */
    shed: 0,
    polls: 0,
    failedPolls: 0,
    /** Flags that changed; a flag that changes twice counts twice. */
    changedFlags: 0,
    /** Events that `tracking.send` has taken. */
    trackingSent: 0,
    trackingLost: 0,
  };
  let latest: Latest = { problems: [] };

  return {
    /** What has happened since the provider was made. */
    counts: () => ({ ...counts, failed: { ...failed } }),
    latest: () => latest,
    /** Counts these events, too, and keeps the counts so far. The states begin from nothing. */
    attach({ listen }: Pick<Diagnostics, 'listen'>) {
      latest = { problems: [] };
      listen('hit', () => counts.hits++);
      listen('stale-hit', () => counts.staleHits++);
      listen('joined', () => counts.joined++);
      listen('miss', () => counts.misses++);
      listen('attempt', ({ failure }) => {
        counts.attempts++;
        if (failure !== undefined) failed[failure] = (failed[failure] ?? 0) + 1;
      });
      listen('retry', () => counts.retried++);
      listen('shed', ({ questions }) => (counts.shed += questions));
      listen('snapshot-polled', ({ failure }) => {
        counts.polls++;
        if (failure !== undefined) counts.failedPolls++;
      });
      listen('flags-changed', ({ flags }) => (counts.changedFlags += flags.length));
      listen('tracking-sent', ({ events }) => (counts.trackingSent += events));
      listen('tracking-lost', ({ events }) => (counts.trackingLost += events));
      listen(
        'circuit-changed',
        ({ state }) => (latest = { ...latest, circuit: { state, at: clock.date() } }),
      );
      listen('health-changed', ({ after }) => (latest = { ...latest, problems: [...after.keys()] }));
      listen('watch-changed', ({ state }) => (latest = { ...latest, watch: state }));
      listen('stream-changed', ({ state }) => (latest = { ...latest, stream: state }));
    },
  };
}

export type History = ReturnType<typeof openHistory>;
