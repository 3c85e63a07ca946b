import type { Clock } from '../../base/time/clock.js';
import { outsideRequests } from '../../base/time/background-work.js';
import { orLate, passed } from '../../base/time/in-time.js';
import type { SnapshotSource } from '../../snapshot/snapshot-source.js';
import type { ProviderSnapshots } from '../provider-snapshots.js';

/** Between two looks of a call that waits for the first snapshot, which another call fetches. */
const LOOK_MS = 5;

/** A call that polls. Its runtime may end it, and then it never says so. */
interface PollingCall {
  /** By then it has ended, in the clock's milliseconds. */
  readonly until: number;
  readonly ending: AbortController;
}

/**
 * The polls of a provider where nothing may run between calls. One call polls at a time, for as long as that call may
 * take, and what it has begun ends with it. The other calls look at the snapshot that is there; while there is none, each
 * waits by a timer of its own, because a call of another request must not wake it.
 */
export class PollsOfCalls {
  /** The call that polls now; `undefined` if none does. */
  private polling: PollingCall | undefined;
  /** Before this time of the clock, calls leave a poll that was cut short to `refresh`, which may take longer. */
  private nextByCallsAt = -Infinity;

  constructor(
    private readonly snapshots: ProviderSnapshots,
    private readonly pollMs: number,
    private readonly closing: AbortSignal,
    private readonly clock: Clock,
  ) {
    closing.addEventListener('abort', () => {
      this.polling?.ending.abort();
    });
  }

  /** Ends what the call that polls has begun. */
  signal(): AbortSignal {
    return this.polling?.ending.signal ?? this.closing;
  }

  /** What a call does before it evaluates, for `withinMs` at most; `undefined` if there is nothing to do or wait for. */
  before(withinMs: number): Promise<void> | undefined {
    this.snapshots.opened()?.watch.assess();
    if (this.closing.aborted) return undefined;
    if (this.isPolling()) {
      return this.snapshots.snapshot() === undefined ? this.firstSnapshot(withinMs) : undefined;
    }
    return this.isDue() && this.clock.now() >= this.nextByCallsAt
      ? this.poll(withinMs, (source, signal) => source.refresh(signal))
      : undefined;
  }

  /** Polls if that is due and no call polls, and completes a save that is due. Never rejects. */
  async refresh(withinMs: number): Promise<void> {
    if (this.closing.aborted || this.isPolling()) return;
    await this.poll(withinMs, async (source, signal) => {
      await source.refresh(signal);
      await source.flush();
    });
  }

  /** The next call polls, whatever the interval. */
  soon(asker: 'user' | 'reset'): void {
    this.nextByCallsAt = -Infinity;
    void this.snapshots.opened()?.watch.poll(asker);
  }

  private isPolling(): boolean {
    return this.polling !== undefined && this.clock.now() < this.polling.until;
  }

  private isDue(): boolean {
    return this.snapshots.opened()?.watch.isDue() ?? true;
  }

  private async poll(
    withinMs: number,
    run: (source: SnapshotSource, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const own = { until: this.clock.now() + withinMs, ending: new AbortController() };
    this.polling = own;
    if (this.isDue()) this.nextByCallsAt = this.clock.now() + this.pollMs;
    const polled = outsideRequests(async () => {
      if (this.snapshots.opened() === undefined) await this.snapshots.open();
      const source = this.snapshots.opened();
      if (source !== undefined) await run(source, own.ending.signal);
    });
    await orLate(polled, withinMs, this.clock);
    own.ending.abort();
    if (this.polling === own) this.polling = undefined;
  }

  private async firstSnapshot(withinMs: number): Promise<void> {
    const until = this.clock.now() + withinMs;
    while (this.isPolling() && this.snapshots.snapshot() === undefined && this.clock.now() < until) {
      await passed(LOOK_MS, this.closing, this.clock);
    }
  }
}
