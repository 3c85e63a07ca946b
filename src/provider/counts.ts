import type { CircuitState, StreamState, WatchCondition } from '../model/events/flipt-event.js';
import type { Diagnostics } from '../model/events/reporter.js';
import type { FailureKind } from '../model/failure.js';

/** Counts events since the provider was created, and remembers the states that they last reported since its start. */
export class Counts {
  readonly sums = {
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
  readonly failed: Partial<Record<FailureKind, number>> = {};
  circuit: { readonly state: CircuitState; readonly at: number } | undefined;
  watch: WatchCondition | undefined;
  stream: StreamState | undefined;

  constructor({ listen }: Pick<Diagnostics, 'listen'>, clock: { readonly date: () => number }) {
    const { sums, failed } = this;
    listen('closed', () => (this.circuit = this.watch = this.stream = undefined));
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
    listen('circuit-changed', ({ state }) => (this.circuit = { state, at: clock.date() }));
    listen('watch-changed', ({ state }) => (this.watch = state));
    listen('stream-changed', ({ state }) => (this.stream = state));
  }
}
