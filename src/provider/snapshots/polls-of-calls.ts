import type { Clock } from '../../base/time/clock.js';
import { outsideRequests } from '../../base/time/background-work.js';
import { orLate, passed } from '../../base/time/in-time.js';
import type { Send } from '../../http/reply.js';
import type { Evaluations } from '../pipeline.js';
import type { SnapshotSource } from '../../snapshot/snapshot-source.js';
import type { ProviderSnapshots } from './provider-snapshots.js';

/** Between two looks of a call that waits for the first snapshot, which another call fetches. */
const LOOK_MS = 5;

/** A call that polls. Its runtime may end it, and then it never says so. */
interface Turn {
  /** By then it has ended, in the clock's milliseconds. */
  readonly until: number;
  readonly ending: AbortController;
}

/** The call that polls now, if one does. What is sent for its poll, also beside it, ends with it. */
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

  /** Ends what the call that polls has begun. */
  signal(): AbortSignal {
    return this.now?.ending.signal ?? this.closing;
  }

  /** Sends within the call that polls. */
  sending(send: Send): Send {
    return (request) => send({ ...request, signal: this.signal() });
  }

  /** Runs a poll in a call that takes `withinMs` at most. Whatever it has begun ends with it. */
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
 * The polls of a provider where nothing may run between calls. One call polls at a time, for as long as that call may
 * take, and what it has begun ends with it. The other calls look at the snapshot that is there; while there is none, each
 * waits by a timer of its own, because a call of another request must not wake it.
 */
export class PollsOfCalls {
  /** Before this time of the clock, calls leave a poll that was cut short to `refresh`, which may take longer. */
  private nextByCallsAt = -Infinity;

  constructor(
    private readonly snapshots: ProviderSnapshots,
    private readonly call: PollingCall,
    private readonly pollMs: number,
    private readonly closing: AbortSignal,
    private readonly clock: Clock,
  ) {}

  /** What a call does before it evaluates, for `withinMs` at most; `undefined` if there is nothing to do or wait for. */
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

  /** Polls if that is due and no call polls, and completes a save that is due. Never rejects. */
  async refresh(withinMs: number): Promise<void> {
    if (this.closing.aborted || this.call.isUnderWay()) return;
    await this.poll(withinMs, async (source, signal) => {
      await source.refresh(signal);
      await source.flush();
    });
  }

  /** The next call polls, whatever the interval. */
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
      // No listener: it would stay if the runtime ended this call.
      await passed(LOOK_MS, undefined, clock);
    }
  }
}

/** The evaluations of which each call polls first. What a question ahead would bring could not be kept. */
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
