import { outsideRequests } from '../../base/time/background-work.js';
import type { Send } from '../../http/reply.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import type { Runtime } from '../../model/runtime.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Wanted } from '../../snapshot/keep-flags.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { SnapshotSource } from '../../snapshot/source.js';
import { warnOfSnapshots } from './snapshot-warnings.js';

/** `none`: Flipt offers no snapshots, or the provider was closed before. */
export type FirstPoll = 'succeeded' | 'failed' | 'none';

/** The provider's snapshot source, and what the provider remembers about it. */
export class ProviderSnapshots {
  readonly firstPoll: Promise<FirstPoll>;
  private readonly source: SnapshotSource;
  private readonly warnIfOld: () => void;
  private problem: string | undefined;
  private hasNone = false;
  private isClosed = false;
  private endFirstPoll: () => void = () => undefined;

  constructor(
    send: Send,
    private readonly settings: ProviderSettings,
    runtime: Runtime & Pick<Diagnostics, 'listen'>,
  ) {
    const warn = (message: string) => {
      this.problem = message;
      settings.logger.warn(message);
    };
    this.source = new SnapshotSource(send, settings, warn, runtime);
    const ageMs = () => runtime.clock.now() - (this.source.confirmedAt() ?? Infinity);
    this.warnIfOld = warnOfSnapshots(this.source, ageMs, settings, runtime);
    this.firstPoll = this.listenForFirst(runtime);
    runtime.listen('attempt', ({ isRefused }) => {
      if (isRefused) this.source.refused();
    });
  }

  opened(): SnapshotSource {
    return this.source;
  }

  snapshot(): Snapshot | undefined {
    return this.source.snapshot();
  }

  async firstSnapshot(): Promise<void> {
    if (this.snapshot() === undefined) await this.firstPoll;
  }

  isNotOffered(): boolean {
    return this.hasNone;
  }

  /** Why the saved or the initial snapshot is not used. */
  trouble(): string | undefined {
    return this.problem;
  }

  missing(flag: string): void {
    this.source.missing(flag);
  }

  async start(): Promise<void> {
    this.problem = undefined;
    await this.source.open();
    // Without polls, nothing will replace an old snapshot.
    if (this.settings.watch === undefined && !this.isClosed) this.warnIfOld();
  }

  poll(wanted?: Wanted): void {
    void outsideRequests(() => this.source.poll(wanted));
  }

  async withSnapshot(): Promise<void> {
    if (this.snapshot() === undefined) await outsideRequests(() => this.source.poll());
  }

  refresh(): Promise<void> {
    return this.source.refresh();
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.endFirstPoll();
    return this.source.close();
  }

  private listenForFirst({ listen }: Pick<Diagnostics, 'listen'>): Promise<FirstPoll> {
    return new Promise<FirstPoll>((resolve) => {
      this.endFirstPoll = () => {
        resolve('none');
      };
      // For one poll, the event `watch-changed` comes before the event `snapshot-polled`.
      listen('watch-changed', ({ state }) => {
        this.hasNone = state === 'not-offered';
        if (this.hasNone) resolve('none');
      });
      listen('snapshot-polled', ({ failure }) => {
        // A Flipt that has lost its flags does offer snapshots.
        if (failure?.kind === 'flags-lost') this.hasNone = false;
        resolve(failure === undefined ? 'succeeded' : 'failed');
      });
    });
  }
}
