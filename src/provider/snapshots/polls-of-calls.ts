import type { Clock } from '../../base/time/clock.js';
import { outsideRequests } from '../../base/time/background-work.js';
import { orLate, passed } from '../../base/time/in-time.js';
import type { Send } from '../../http/reply.js';
import type { Evaluations } from '../pipeline.js';
import type { SnapshotSource } from '../../snapshot/snapshot-source.js';
import type { ProviderSnapshots } from './provider-snapshots.js';

/**
 * While one call fetches the first snapshot, each waiting call checks at intervals of this many milliseconds whether
 * the snapshot has come.
 */
const CHECK_EVERY_MS = 5;

/**
 * A call of the app that polls the snapshot. If the runtime ends a call that polls, the code after the poll never runs.
 */
interface CallThatPolls {
  /** The latest time at which the call stops polling, in milliseconds of `clock.now()`. */
  readonly until: number;
  readonly ending: AbortController;
}

/**
 * Holds the call of the app that is polling at present, if there is one. When the call stops polling, all requests of
 * its poll are aborted.
 */
export class PollingCall {
  private current: CallThatPolls | undefined;

  constructor(
    private readonly closing: AbortSignal,
    private readonly clock: Clock,
  ) {
    closing.addEventListener('abort', () => {
      this.current?.ending.abort();
    });
  }

  isUnderWay(): boolean {
    return this.current !== undefined && this.clock.now() < this.current.until;
  }

  /** Returns a signal that is aborted when the call that is polling at present stops polling. */
  signal(): AbortSignal {
    return this.current?.ending.signal ?? this.closing;
  }

  /** Wraps `send`: when the app's call that polls now ends its poll, the requests of that poll are aborted. */
  sending(send: Send): Send {
    return (request) => send({ ...request, signal: this.signal() });
  }

  /**
   * Runs a poll in a call of the app, for at most `withinMs` milliseconds, and then aborts the requests of the poll
   * that are still under way.
   */
  async run(withinMs: number, poll: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const call = { until: this.clock.now() + withinMs, ending: new AbortController() };
    this.current = call;
    await orLate(
      outsideRequests(() => poll(call.ending.signal)),
      withinMs,
      this.clock,
    );
    call.ending.abort();
    if (this.current === call) this.current = undefined;
  }
}

/**
 * Runs the polls of a provider that must not work between the app's calls (`watch: { background: false }`). Only one
 * call polls at a time. When a call stops polling, all requests of its poll are aborted. While one call polls, other
 * calls use the current snapshot. If there is no snapshot yet, each waiting call has a timer of its own, because some
 * runtimes forbid that one request wakes another.
 */
export class PollsOfCalls {
  /**
   * Until this time of the clock, evaluations do not begin another poll. After a poll that was cut short, only
   * `refresh` polls before this time, because `refresh` might give the poll more time.
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
   * Polls or waits before an evaluation, for at most `withinMs` milliseconds. Returns `undefined` if the evaluation can
   * begin at once.
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

  /**
   * Polls if a poll is due and no other call is polling, and also saves the snapshot if a save is due. The promise of
   * `refresh` never rejects.
   */
  async refresh(withinMs: number): Promise<void> {
    if (this.closing.aborted || this.call.isUnderWay()) return;
    await this.poll(withinMs, async (source, signal) => {
      await source.refresh(signal);
      await source.flush();
    });
  }

  /**
   * Makes the next evaluation poll, even if the poll interval is not over. If Flipt has asked for a pause, the next
   * evaluation after the pause polls.
   */
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
      // The loop uses a timer and no listener, because a listener would stay forever if the runtime ended this call.
      await passed(CHECK_EVERY_MS, undefined, clock);
    }
  }
}

/**
 * Wraps `prefetch`, `untilSnapshot` and `explain`, so that each call of them first polls if a poll is due. `prefetch`
 * only polls, because a provider without background work caches no answers.
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
