import { messageOf } from '../../base/text/describe.js';
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
 * The outcome of the first poll. `none` means that Flipt offers no snapshots or that the provider was closed before the
 * poll ended, so that it is no use to poll again at once.
 */
export type FirstPoll = 'succeeded' | 'failed' | 'none';

/**
 * As long as there is no snapshot, `ProviderSnapshots` remembers at most this many keys of missing flags, to compare
 * them with the keys of the first snapshot.
 */
const MOST_REMEMBERED = 20;

/**
 * Owns the snapshots of a provider from a start to the next close. The start of the provider opens the snapshots.
 * Before the snapshots are opened, the provider neither polls
 * Flipt nor reads a saved snapshot.
 */
export class ProviderSnapshots {
  private source: SnapshotSource | undefined;
  private warnIfOld: (() => void) | undefined;
  private problem: string | undefined;
  private starting: Promise<void> | undefined;
  private hasNone = false;
  /** The keys of missing flags that were evaluated before the first snapshot. */
  private readonly early = new Set<string>();
  /** Who asked for a poll before the snapshots were open, for example a user who called `invalidate()`. */
  private earlyAsker: Asker | undefined;
  private readonly closing = new AbortController();
  /** Resolves with the outcome of the first poll, at the latest when the provider is closed, and never rejects. */
  readonly firstPoll: Promise<FirstPoll>;

  /**
   * `isStarting` is `true` if the start of the provider has yet to end, and becomes `false` when `started` is called.
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
   * Returns the source of snapshots, or `undefined` until the snapshots are opened. Until Flipt has sent a snapshot,
   * the current snapshot can only be a saved one, or the one of the option `snapshot.initial`.
   */
  opened(): SnapshotSource | undefined {
    return this.source;
  }

  /** Returns the current snapshot, or `undefined` while there is no snapshot. */
  snapshot(): Snapshot | undefined {
    return this.source?.watch.snapshot();
  }

  /**
   * Returns `true` if there is no snapshot yet, but an earlier run has saved a snapshot whose flags have not been read
   * yet. In that case, the provider is in the same state as with a snapshot, and calls `readSaved` when it needs a flag.
   */
  isUnread(): boolean {
    return this.source?.isUnread() === true;
  }

  /**
   * Reads the flags of the saved snapshot if they are unread. The promise resolves when the saved snapshot is in force,
   * or cannot be used. The promise never rejects.
   */
  async readSaved(): Promise<void> {
    if (this.isUnread()) await this.source?.readSaved();
  }

  /** Resolves when there is a snapshot, or when the first poll has ended without one. The promise never rejects. */
  async firstSnapshot(): Promise<void> {
    await this.readSaved();
    if (this.snapshot() !== undefined) return;
    void this.hurry();
    await this.firstPoll;
  }

  /**
   * Returns `true` while Flipt seems to offer no snapshots, for example because it has no route for them. If Flipt has
   * never sent a snapshot, the current snapshot comes from the options or from an earlier run.
   */
  isNotOffered(): boolean {
    return this.hasNone;
  }

  /**
   * Returns the last warning about the store or the option `snapshot.initial`, or `undefined` if there was no warning
   * since the snapshots were opened.
   */
  trouble(): string | undefined {
    return this.problem;
  }

  /**
   * Call this function with the key of a flag that does not exist. If the snapshot has a flag with a similar key, the
   * provider usually reports the similar key. Without a snapshot, the provider first waits for the next poll.
   */
  missing(flag: string): void {
    if (this.snapshot() !== undefined) this.source?.missing(flag);
    else if (this.early.size < MOST_REMEMBERED) this.early.add(flag);
  }

  /**
   * In remote mode, the first poll usually waits until Flipt has responded to the first questions, so that the poll does
   * not delay the first answers. Call `hurry` when the first poll need not wait any longer. If the snapshots are being
   * opened, `hurry` first waits until the snapshots are open. The promise resolves when the first poll has ended, or
   * earlier if the first poll was not delayed. The promise never rejects.
   */
  async hurry(): Promise<void> {
    if (this.source === undefined) await this.starting;
    await outsideRequests(() => this.source?.hurry());
  }

  /**
   * Loads the saved snapshot of an earlier run, and begins to poll Flipt if the option `watch` is on. The promise
   * resolves when the saved snapshot is loaded. If the option `watch` is on, the promise resolves after 250 ms at the
   * latest, and the saved snapshot can still be unread at that time. The promise also resolves when the provider is
   * closed, because a store that hangs must not delay the close. The promise of `open` never rejects.
   */
  open(): Promise<void> {
    const opened = this.openNow().catch((error: unknown) => {
      this.warn(`The snapshot cannot be opened: ${messageOf(error)}`);
    });
    return untilAborted(opened, this.closing.signal, undefined);
  }

  /** Opens the snapshots as `open` does. All callers of `start` share one call of `open`. */
  start(): Promise<void> {
    // If the store failed at the first start, and the options turn polls off, only another start can load the snapshot
    // from the store.
    const isAgain = this.settings.watch === undefined && this.source !== undefined;
    if (isAgain && this.snapshot() === undefined) this.starting = undefined;
    return (this.starting ??= this.open());
  }

  /** Call this function when the start of the provider has ended. */
  started(): void {
    this.isStarting = false;
  }

  /**
   * If the option `watch` is on, polls at once in the background, except if Flipt has asked for a pause. If the user asks for a poll before the snapshots are open, the
   * provider polls as soon as the snapshots are open. `poll` never throws.
   */
  poll(asker?: Asker): void {
    if (this.source === undefined && isOfUser(asker)) this.earlyAsker = stronger(this.earlyAsker, asker);
    void outsideRequests(() => this.source?.watch.poll(asker));
  }

  /**
   * Waits for the call of `start` that is in progress, and then polls if there is still no snapshot. The promise of
   * `withSnapshot` never rejects.
   */
  async withSnapshot(): Promise<void> {
    await this.starting;
    await this.readSaved();
    if (this.snapshot() === undefined) await outsideRequests(() => this.source?.watch.poll());
  }

  /**
   * Waits for a poll that is due or under way. Also saves the snapshot if a save is due. The promise of `refresh`
   * never rejects.
   */
  async refresh(): Promise<void> {
    await this.hurry();
    await this.source?.refresh();
    await this.source?.flush();
  }

  /** Ends the polls, and waits for saves that are under way or due. The promise of `close` never rejects. */
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
    const startAndClose = { warn, closing: closing.signal, isStarting: () => this.isStarting };
    const opening = openSnapshotSource(this.send, settings, startAndClose, runtime);
    const ageMs = () => runtime.clock.now() - (this.source?.watch.confirmedAt() ?? Infinity);
    // The snapshots can be opened again. The operator `??=` makes sure that the listeners for warnings are added only
    // once.
    this.warnIfOld ??= warnOfSnapshots(opening, ageMs, settings, runtime);
    this.source = await opening;
    if (this.earlyAsker !== undefined) this.poll(this.earlyAsker);
    this.earlyAsker = undefined;
    // With `watch: false`, no poll will replace an old snapshot, so the provider warns at once.
    if (settings.watch === undefined) this.warnIfOld();
    if (this.isClosed()) await this.source.close();
  }

  private isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  private warn(message: string): void {
    this.problem = message;
    // After the close, only saves are worth a warning, and the provider can save only if the snapshots are open.
    if (!this.isClosed() || this.source !== undefined) this.settings.logger.warn(message);
  }

  private listenForFirst(): Promise<FirstPoll> {
    const { listen } = this.runtime;
    return new Promise<FirstPoll>((resolve) => {
      // For one poll, the event `watch-changed` comes before the event `snapshot-polled`. If Flipt offers no snapshots,
      // `firstPoll` resolves with `none` because of this order, and not with `failed`.
      listen('watch-changed', ({ state }) => {
        this.hasNone = state === 'not-offered';
        if (this.hasNone) resolve('none');
      });
      listen('snapshot-polled', ({ failure }) => {
        // The failure `flags-lost` means that Flipt offers snapshots, but has lost its flags. If a saved snapshot was
        // loaded late, the provider notices the loss of flags only after the event `watch-changed`.
        if (failure?.kind === 'flags-lost') this.hasNone = false;
        resolve(failure === undefined ? 'succeeded' : 'failed');
      });
      this.closing.signal.addEventListener('abort', () => {
        resolve('none');
      });
    });
  }
}
