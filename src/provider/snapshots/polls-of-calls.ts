import type { Clock } from '../../base/time/clock.js';
import { outsideRequests } from '../../base/time/background-work.js';
import { orLate, passed } from '../../base/time/in-time.js';
import type { Send } from '../../http/reply.js';
import type { Evaluations } from '../pipeline.js';
import type { SnapshotSource } from '../../snapshot/snapshot-source.js';
import type { ProviderSnapshots } from './provider-snapshots.js';

/** A call that waits for the first snapshot, which another call fetches, looks again after this many milliseconds. */
const LOOK_MS = 5;

/** A call that polls. If the runtime ends the call, the call never reports its end. */
interface Turn {
  /** The latest time at which the call ends, in milliseconds of `clock.now()`. */
  readonly until: number;
  readonly ending: AbortController;
}

/**
 * Holds the call that polls now, if there is one. All requests for the poll of that call, and the requests beside it,
 * end with that call.
 */
export class PollingCall {
  private now: Turn | undefined;

  constructor(
    private readonly closing: AbortSignal,
    private readonly clock: Clock,
  ) {
    closing.addEventListener('abort', () => {
      this.now?.ending.abort();
    });
  }

  isUnderWay(): boolean {
    return this.now !== undefined && this.clock.now() < this.now.until;
  }

  /** Returns the signal that ends what the polling call has begun. */
  signal(): AbortSignal {
    return this.now?.ending.signal ?? this.closing;
  }

  /** Makes a `send` whose requests end with the call that polls. */
  sending(send: Send): Send {
    return (request) => send({ ...request, signal: this.signal() });
  }

  /** Runs a poll in a call that takes at most `withinMs`. Everything that the call has begun ends with it. */
  async run(withinMs: number, poll: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const own = { until: this.clock.now() + withinMs, ending: new AbortController() };
    this.now = own;
    await orLate(
      outsideRequests(() => poll(own.ending.signal)),
      withinMs,
      this.clock,
    );
    own.ending.abort();
    if (this.now === own) this.now = undefined;
  }
}

/**
 * Runs the polls of a provider if nothing may run between calls. One call polls at a time, and everything that the call
 * has begun ends with it. The other calls use the snapshot that is there. While there is no snapshot, each of the other
 * calls waits with a timer of its own, because a call of another request must not wake it.
 */
export class PollsOfCalls {
  /**
   * If a poll was cut short, calls leave the next poll to `refresh` until this time of the clock, because `refresh`
   * might take longer.
   */
  private nextByCallsAt = -Infinity;

  constructor(
    private readonly snapshots: ProviderSnapshots,
    private readonly call: PollingCall,
    private readonly pollMs: number,
    private readonly closing: AbortSignal,
    private readonly clock: Clock,
  ) {}

  /**
   * Prepares an evaluation for at most `withinMs`. Returns `undefined` if there is nothing to do and nothing to wait
   * for.
   */
  before(withinMs: number): Promise<void> | undefined {
    this.snapshots.opened()?.watch.assess();
    if (this.closing.aborted) return undefined;
    if (this.call.isUnderWay()) {
      return this.snapshots.snapshot() === undefined ? this.firstSnapshot(withinMs) : undefined;
    }
    return this.isDue() && this.clock.now() >= this.nextByCallsAt
      ? this.poll(withinMs, (source, signal) => source.refresh(signal))
      : undefined;
  }

  /** Polls if a poll is due and no call polls, and completes a save that is due. The promise never rejects. */
  async refresh(withinMs: number): Promise<void> {
    if (this.closing.aborted || this.call.isUnderWay()) return;
    await this.poll(withinMs, async (source, signal) => {
      await source.refresh(signal);
      await source.flush();
    });
  }

  /** Makes the next call poll, even if the interval is not over. */
  soon(asker: 'user' | 'reset'): void {
    this.nextByCallsAt = -Infinity;
    this.snapshots.poll(asker);
  }

  private isDue(): boolean {
    return this.snapshots.opened()?.watch.isDue() ?? true;
  }

  private async poll(
    withinMs: number,
    run: (source: SnapshotSource, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    if (this.isDue()) this.nextByCallsAt = this.clock.now() + this.pollMs;
    await this.call.run(withinMs, async (signal) => {
      if (this.snapshots.opened() === undefined) await this.snapshots.open();
      const source = this.snapshots.opened();
      if (source !== undefined) await run(source, signal);
    });
  }

  private async firstSnapshot(withinMs: number): Promise<void> {
    const until = this.clock.now() + withinMs;
    const { call, closing, clock } = this;
    while (
      !closing.aborted &&
      call.isUnderWay() &&
      this.snapshots.snapshot() === undefined &&
      clock.now() < until
    ) {
      // The loop uses a timer and no listener, because a listener would stay if the runtime ended this call.
      await passed(LOOK_MS, undefined, clock);
    }
  }
}

/**
 * Wraps the evaluations so that each call polls first. `prefetch` only polls, because its answers could not be kept.
 */
export function afterPolls(evaluations: Evaluations, polls: PollsOfCalls, withinMs: number): Evaluations {
  return {
    ...evaluations,
    prefetch: async () => polls.before(withinMs),
    async untilSnapshot() {
      await polls.before(withinMs);
    },
    async explain(flagKey, context) {
      await polls.before(evaluations.deadlineMs);
      return evaluations.explain(flagKey, context);
    },
  };
}
