import { messageOf, oneLine } from '../base/text/describe.js';
import { oneTimer, type Clock } from '../base/time/clock.js';
import { orLate } from '../base/time/in-time.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { hasFlags, type Confirmed, type Snapshot } from './snapshot.js';
import { readSnapshotText, snapshotText } from './text.js';

/** Where texts are kept: a file, or the app's store. */
export interface TextStore {
  readonly name: string;
  load(): Promise<{ readonly text: unknown; readonly confirmedAt?: number | undefined }>;
  save(text: string): Promise<void>;
  /** Moves the date of what is saved. */
  touch?(): Promise<void>;
}

export interface StoreReading {
  readonly isFailing: boolean;
  /** In milliseconds since the epoch. */
  readonly savedAt: number | undefined;
}

const SAVE_EVERY_MS = 5_000;
const SAVE_TIMEOUT_MS = 10_000;
const TOUCH_EVERY_MS = 60_000;

/** Saves the newest snapshot on a change and at the close, one save at a time, and outlives any trouble of the store. */
export class SavedSnapshot {
  private newest: Confirmed | undefined;
  private saved: Snapshot | undefined;
  private savedAt: number | undefined;
  private touchedAt = -Infinity;
  private notBefore = -Infinity;
  private isFailing = false;
  private isLoading = false;
  private mayHoldFlags = true;
  private running: Promise<unknown> | undefined;
  private readonly timer;

  constructor(
    private readonly store: TextStore,
    private readonly place: SnapshotPlace,
    private readonly warn: (message: string) => void,
    private readonly clock: Clock,
  ) {
    this.timer = oneTimer(clock);
  }

  read(): StoreReading {
    return { isFailing: this.isFailing, savedAt: this.savedAt };
  }

  async load(withinMs: number): Promise<Confirmed | undefined> {
    this.isLoading = true;
    const read = await this.loadOnly(withinMs);
    this.isLoading = false;
    // A poll may have been faster.
    if (this.newest !== undefined) this.schedule();
    return read;
  }

  confirmed(known: Confirmed): void {
    if (this.mayHoldFlags && this.saved === undefined && !hasFlags(known.snapshot)) return;
    this.newest = known;
    if (known.snapshot !== this.saved) this.schedule();
    else this.touch();
  }

  /** After a save that is under way, so that an older one never replaces a newer one. */
  async flush(): Promise<void> {
    this.timer.stop();
    // A load that hangs would keep the provider from closing.
    if (this.isLoading) return;
    await this.running;
    await this.save();
  }

  private async loadOnly(withinMs: number): Promise<Confirmed | undefined> {
    const loaded = await this.call('load', () => this.store.load(), withinMs, 'awaited');
    // While the store may hold flags, an emptiness must not replace them.
    this.mayHoldFlags = loaded === undefined;
    const { text, confirmedAt } = loaded ?? {};
    if (typeof text !== 'string' && !Buffer.isBuffer(text)) return undefined;
    try {
      const read = await readSnapshotText(text, this.place, this.clock);
      this.saved = read.snapshot;
      return { ...read, confirmedAt: confirmedAt ?? read.confirmedAt };
    } catch (error) {
      this.warn(`${this.store.name} is not used: ${messageOf(error)}`);
      return undefined;
    }
  }

  private schedule(): void {
    const waitMs = this.notBefore - this.clock.now();
    if (this.running !== undefined) return;
    if (waitMs <= 0) void this.save();
    else this.timer.ensure(waitMs, () => void this.save());
  }

  private async save(): Promise<void> {
    const { newest } = this;
    if (newest === undefined || newest.snapshot === this.saved || this.running !== undefined) return;
    this.notBefore = this.clock.now() + SAVE_EVERY_MS;
    const written = async () => {
      await this.store.save(await snapshotText(newest, this.place, this.clock));
      this.saved = newest.snapshot;
      this.savedAt = this.clock.date();
      this.touchedAt = this.clock.now();
    };
    await this.call('save', written, SAVE_TIMEOUT_MS, 'background');
    if (this.newest !== newest) this.schedule();
  }

  private touch(): void {
    const { store, clock } = this;
    if (store.touch === undefined || clock.now() - this.touchedAt < TOUCH_EVERY_MS) return;
    this.touchedAt = clock.now();
    const touch = async () => {
      await store.touch?.();
      return true;
    };
    const touched = this.call('save', touch, SAVE_TIMEOUT_MS, 'background');
    void touched.then((isThere) => {
      // The next confirmation writes what is gone.
      if (isThere !== true) this.saved = undefined;
      else if (this.newest?.snapshot !== this.saved) this.schedule();
    });
  }

  /** `undefined` if the call fails, takes too long, or an earlier one still runs. Warns once for each row of failures. */
  private async call<T>(
    what: 'load' | 'save',
    call: () => Promise<T>,
    withinMs: number,
    kind: 'awaited' | 'background',
  ): Promise<T | undefined> {
    if (this.running !== undefined) return undefined;
    const ended = Promise.resolve()
      .then(call)
      .then(
        (result) => ({ result }),
        (error: unknown) => ({ why: oneLine(messageOf(error)) }),
      )
      .finally(() => {
        this.running = undefined;
      });
    this.running = ended;
    const end = await orLate(ended, withinMs, this.clock, kind);
    const why = end === 'late' ? `no answer within ${withinMs} ms` : 'why' in end ? end.why : undefined;
    const wasFailing = this.isFailing;
    this.isFailing = why !== undefined;
    const { name } = this.store;
    if (why !== undefined && !wasFailing)
      this.warn(`${name} could not ${what} the snapshot: ${why}; the provider goes on without it`);
    if (why === undefined && wasFailing) this.warn(`${name} works again: the snapshot is kept`);
    return end !== 'late' && 'result' in end ? end.result : undefined;
  }
}
