import { outsideRequests } from '../../base/time/background-work.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import { untilAborted } from '../../base/time/in-time.js';
import type { Send } from '../../http/reply.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Runtime } from '../../model/runtime.js';
import type { Asker } from '../../snapshot/tag-trust.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { openSnapshotSource, type SnapshotSource } from '../../snapshot/snapshot-source.js';
import { warnOfSnapshots } from './snapshot-warnings.js';

/** `none`: the service offers no snapshots, or the provider is closed. Asking again soon would not help. */
export type FirstPoll = 'succeeded' | 'failed' | 'none';

/** Missing flags that are remembered until there is a snapshot to compare them with. */
const MOST_REMEMBERED = 20;

/**
 * The snapshots of one life of a provider. They are opened by a start, or by a call: before, nothing is sent or read.
 */
export class ProviderSnapshots {
  private source: SnapshotSource | undefined;
  private warnIfOld: (() => void) | undefined;
  private problem: string | undefined;
  private starting: Promise<void> | undefined;
  private hasNone = false;
  /** Missing flags that were asked for before the first snapshot. */
  private readonly early = new Set<string>();
  private readonly closing = new AbortController();
  /** How the first poll ended. Never rejects; ends at the latest with the close. */
  readonly firstPoll: Promise<FirstPoll>;

  /**
   * `isStarting` says that OpenFeature has not been told yet that the provider is ready. It holds until `started` is
   * called.
   */
  constructor(
    private readonly send: Send,
    private readonly settings: ProviderSettings,
    private readonly runtime: Runtime & Pick<Diagnostics, 'listen'>,
    private isStarting: boolean,
  ) {
    this.firstPoll = this.listenForFirst();
    runtime.listen('snapshot-polled', () => {
      const flags = [...this.early];
      this.early.clear();
      for (const flag of flags) this.missing(flag);
    });
  }

  /** The service's snapshot, or until there is one, the kept or initial one; `undefined` until it is opened. */
  opened(): SnapshotSource | undefined {
    return this.source;
  }

  /** The snapshot itself; `undefined` while there is none. */
  snapshot(): Snapshot | undefined {
    return this.source?.watch.snapshot();
  }

  /** Whether the service seems to offer no snapshots. One in force then comes from the options or an earlier run. */
  isNotOffered(): boolean {
    return this.hasNone;
  }

  /** Why a snapshot from the options is not used; `undefined` if nothing went wrong. */
  trouble(): string | undefined {
    return this.problem;
  }

  /** A flag that does not exist was asked for: reports the key that was probably meant, once there is a snapshot. */
  missing(flag: string): void {
    if (this.snapshot() !== undefined) this.source?.missing(flag);
    else if (this.early.size < MOST_REMEMBERED) this.early.add(flag);
  }

  /**
   * Loads the kept snapshot, then begins to watch. Resolves when the kept one is loaded, or at the close, because a store
   * that hangs must not delay that. Never rejects.
   */
  open(): Promise<void> {
    return untilAborted(this.openNow(), this.closing.signal, undefined);
  }

  /** As `open`, which all callers share. */
  start(): Promise<void> {
    // Without a watch, nothing else brings the snapshot of a store that could not be asked at the first start.
    const isAgain = this.settings.watch === undefined && this.source !== undefined;
    if (isAgain && this.snapshot() === undefined) this.starting = undefined;
    return (this.starting ??= this.open());
  }

  /** The start of the provider has ended. */
  started(): void {
    this.isStarting = false;
  }

  /** Polls now, in the background. Never throws. */
  poll(asker?: Asker): void {
    void outsideRequests(() => this.source?.watch.poll(asker));
  }

  /** Polls first if there is no snapshot yet. Never rejects. */
  async withSnapshot(): Promise<void> {
    await this.starting;
    if (this.snapshot() === undefined) await outsideRequests(() => this.source?.watch.poll());
  }

  /** Polls if that is due and no poll is under way, and completes a save that is due. Never rejects. */
  async refresh(): Promise<void> {
    await this.source?.refresh();
    await this.source?.flush();
  }

  /** Completes pending saves. Never rejects. */
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
    // The call that opens may be ended by its runtime, and then another opens again.
    this.warnIfOld ??= warnOfSnapshots(opening, ageMs, settings, runtime);
    this.source = await opening;
    // No poll could replace it.
    if (settings.watch === undefined) this.warnIfOld();
    if (this.isClosed()) await this.source.close();
  }

  private isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  private warn(message: string): void {
    this.problem = message;
    // During the close, an open snapshot may still fail to be saved.
    if (!this.isClosed() || this.source !== undefined) this.settings.logger.warn(message);
  }

  private listenForFirst(): Promise<FirstPoll> {
    const { listen } = this.runtime;
    return new Promise<FirstPoll>((resolve) => {
      // Comes before the event `snapshot-polled` of the same poll, so that `none` wins.
      listen('watch-changed', ({ state }) => {
        this.hasNone = state === 'not-offered';
        if (this.hasNone) resolve('none');
      });
      listen('snapshot-polled', ({ failure }) => {
        // A kept snapshot came late: the service has snapshots, and has lost its flags.
        if (failure?.kind === 'flags-lost') this.hasNone = false;
        resolve(failure === undefined ? 'succeeded' : 'failed');
      });
      this.closing.signal.addEventListener('abort', () => {
        resolve('none');
      });
    });
  }
}
