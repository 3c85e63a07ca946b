import { outsideRequests } from '../../base/time/background-work.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import { untilAborted } from '../../base/time/in-time.js';
import type { Send } from '../../http/reply.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Runtime } from '../../model/runtime.js';
import { isOfUser, stronger, type Asker } from '../../snapshot/tag-trust.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { openSnapshotSource, type SnapshotSource } from '../../snapshot/snapshot-source.js';
import { warnOfSnapshots } from './snapshot-warnings.js';

/**
 * How the first poll has ended. `none` means that the service offers no snapshots, or that the provider is closed, so
 * that asking again soon would not help.
 */
export type FirstPoll = 'succeeded' | 'failed' | 'none';

/** At most this many missing flags are remembered until there is a snapshot to compare them with. */
const MOST_REMEMBERED = 20;

/**
 * Holds the snapshots of one life of a provider, which lasts from a start to the close. The start or a call opens the
 * snapshots. Until then, the provider neither asks Flipt for a snapshot nor reads a saved one.
 */
export class ProviderSnapshots {
  private source: SnapshotSource | undefined;
  private warnIfOld: (() => void) | undefined;
  private problem: string | undefined;
  private starting: Promise<void> | undefined;
  private hasNone = false;
  /** The missing flags that were asked for before the first snapshot. */
  private readonly early = new Set<string>();
  /** Why a user asked for a poll before the snapshots were open. */
  private earlyAsker: Asker | undefined;
  private readonly closing = new AbortController();
  /**
   * Resolves with how the first poll has ended, at the latest when the provider is closed. The promise never rejects.
   */
  readonly firstPoll: Promise<FirstPoll>;

  /**
   * `isStarting` is true if OpenFeature has not been told yet that the provider is ready. The value of `isStarting`
   * holds until `started` is called.
   */
  constructor(
    private readonly send: Send,
    private readonly settings: ProviderSettings,
    private readonly runtime: Runtime & Pick<Diagnostics, 'listen'>,
    private isStarting: boolean,
  ) {
    this.firstPoll = this.listenForFirst();
    runtime.listen('attempt', ({ isRefused }) => {
      if (isRefused) this.source?.refused();
    });
    runtime.listen('snapshot-polled', () => {
      const flags = [...this.early];
      this.early.clear();
      for (const flag of flags) this.missing(flag);
    });
  }

  /**
   * Returns the source of the snapshot, or `undefined` until it is opened. Until the service has served a snapshot, the
   * snapshot is the one that an earlier run has saved, or the initial one of the options.
   */
  opened(): SnapshotSource | undefined {
    return this.source;
  }

  /** Returns the snapshot in force, or `undefined` while there is none. */
  snapshot(): Snapshot | undefined {
    return this.source?.watch.snapshot();
  }

  /**
   * Returns whether the service seems to offer no snapshots. If the service offers none, a snapshot in force comes from
   * the options or from an earlier run.
   */
  isNotOffered(): boolean {
    return this.hasNone;
  }

  /** Returns why a snapshot from the options is not used, or `undefined` if nothing went wrong. */
  trouble(): string | undefined {
    return this.problem;
  }

  /**
   * Call this function when a question names a flag that does not exist. Once there is a snapshot, the key that was
   * probably meant is reported.
   */
  missing(flag: string): void {
    if (this.snapshot() !== undefined) this.source?.missing(flag);
    else if (this.early.size < MOST_REMEMBERED) this.early.add(flag);
  }

  /**
   * Loads the snapshot that an earlier run has saved, and then begins to watch. The promise resolves when the saved
   * snapshot is loaded. The promise also resolves when the provider is closed, because a store that hangs must not
   * delay the close. The promise never rejects.
   */
  open(): Promise<void> {
    return untilAborted(this.openNow(), this.closing.signal, undefined);
  }

  /** Opens the snapshots as `open` does. All callers of `start` share one call. */
  start(): Promise<void> {
    // If the store failed at the first start and there is no watch, only another start can load the snapshot from the
    // store.
    const isAgain = this.settings.watch === undefined && this.source !== undefined;
    if (isAgain && this.snapshot() === undefined) this.starting = undefined;
    return (this.starting ??= this.open());
  }

  /** Call this function when the start of the provider has ended. */
  started(): void {
    this.isStarting = false;
  }

  /**
   * Polls now, in the background. If a user asks for a poll before the snapshots are open, the poll follows once they
   * are open. The function never throws.
   */
  poll(asker?: Asker): void {
    if (this.source === undefined && isOfUser(asker)) this.earlyAsker = stronger(this.earlyAsker, asker);
    void outsideRequests(() => this.source?.watch.poll(asker));
  }

  /** Waits for the start, and then polls if there is no snapshot yet. The promise never rejects. */
  async withSnapshot(): Promise<void> {
    await this.starting;
    if (this.snapshot() === undefined) await outsideRequests(() => this.source?.watch.poll());
  }

  /** Polls if a poll is due and none is under way, and completes a save that is due. The promise never rejects. */
  async refresh(): Promise<void> {
    await this.source?.refresh();
    await this.source?.flush();
  }

  /** Completes pending saves. The promise never rejects. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.source?.close();
  }

  private async openNow(): Promise<void> {
    const { settings, runtime, closing } = this;
    if (closing.signal.aborted) return;
    this.problem = undefined;
    const warn = (message: string) => {
      this.warn(message);
    };
    const life = { warn, closing: closing.signal, isStarting: () => this.isStarting };
    const opening = openSnapshotSource(this.send, settings, life, runtime);
    const ageMs = () => runtime.clock.now() - (this.source?.watch.confirmedAt() ?? Infinity);
    // The runtime might end the call that opens the snapshots, and then another call opens them again.
    this.warnIfOld ??= warnOfSnapshots(opening, ageMs, settings, runtime);
    this.source = await opening;
    if (this.earlyAsker !== undefined) this.poll(this.earlyAsker);
    this.earlyAsker = undefined;
    // Without a watch, no poll will replace an old snapshot.
    if (settings.watch === undefined) this.warnIfOld();
    if (this.isClosed()) await this.source.close();
  }

  private isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  private warn(message: string): void {
    this.problem = message;
    // If the snapshots are open, saving them can still fail during the close.
    if (!this.isClosed() || this.source !== undefined) this.settings.logger.warn(message);
  }

  private listenForFirst(): Promise<FirstPoll> {
    const { listen } = this.runtime;
    return new Promise<FirstPoll>((resolve) => {
      // The event `watch-changed` comes before `snapshot-polled` of the same poll, so that `none` wins.
      listen('watch-changed', ({ state }) => {
        this.hasNone = state === 'not-offered';
        if (this.hasNone) resolve('none');
      });
      listen('snapshot-polled', ({ failure }) => {
        // The snapshot that an earlier run has saved was loaded late. The flags of that snapshot show that the service
        // has snapshots, and has lost its flags.
        if (failure?.kind === 'flags-lost') this.hasNone = false;
        resolve(failure === undefined ? 'succeeded' : 'failed');
      });
      this.closing.signal.addEventListener('abort', () => {
        resolve('none');
      });
    });
  }
}
