import { orLate, untilAborted } from '../base/time/in-time.js';
import type { Send } from '../http/reply.js';
import type { KnownAnswer, Question } from '../model/answer.js';
import type { Explanation } from '../engine/explanation.js';
import type { Runtime } from '../model/runtime.js';
import type { SnapshotOptions } from '../options/provider-options.js';
import type { SharedSnapshot, SnapshotPlace, SnapshotStore } from '../options/snapshot-store.js';
import { answerFrom, confirmsAnswer, explanationFrom, MisspeltKeys } from './answers.js';
import { fileStore } from './file-store.js';
import { AskFlipt } from './ask-flipt.js';
import { initialSnapshot } from './initial.js';
import { Poller, type SnapshotNews } from './poller.js';
import { Reports, type ReportsSettings } from './reports.js';
import { SavedSnapshot, type StoreReading, type TextStore } from './save.js';
import { SharedPolls } from './shared.js';
import { hasFlags, type Snapshot, type StartingSnapshot } from './snapshot.js';
import { ChangeStream } from './stream.js';
import { snapshotObject } from './text.js';

export interface SnapshotSourceSettings
  extends SnapshotPlace, Pick<ReportsSettings, 'evaluation' | 'logger'> {
  readonly http: { readonly timeoutMs: number };
  readonly watch:
    | { readonly pollMs: number; readonly maxAgeMs: number; readonly stream: boolean }
    | undefined;
  readonly snapshot: SnapshotOptions;
  readonly cache?: { readonly staleOnErrorForMs: number } | undefined;
  readonly initTimeoutMs: number;
}

const ACCEPT_LOSS_AFTER_MS = 3_600_000;

export function acceptLossAfterMs({ cache }: Pick<SnapshotSourceSettings, 'cache'>): number {
  return cache?.staleOnErrorForMs ?? ACCEPT_LOSS_AFTER_MS;
}

/** With a saved snapshot, the first poll is a cheap one. It waits for a slow store so long. */
export const START_WAIT_MS = 250;

/** Everything that the provider knows of the namespace's snapshot. Sends nothing before `open()`. */
export class SnapshotSource {
  readonly poller: Poller;
  private readonly closing = new AbortController();
  private readonly saved: SavedSnapshot | undefined;
  private readonly flipt: AskFlipt | undefined;
  private readonly shared: SharedPolls | undefined;
  private readonly reports: Reports;
  private readonly misspelt: MisspeltKeys;
  private stream: ChangeStream | undefined;
  private opening: Promise<void> | undefined;

  constructor(
    private readonly send: Send,
    private readonly settings: SnapshotSourceSettings,
    private readonly warn: (message: string) => void,
    private readonly runtime: Runtime,
    news: SnapshotNews,
  ) {
    const { clock, random } = runtime;
    const { watch, snapshot: given } = settings;
    this.reports = new Reports(settings, () => this.poller.ageMs(clock.now()), runtime, warn);
    const { url, namespace, environment } = settings;
    const place = { url, namespace, environment };
    const texts = textStore(given, place, this.closing.signal, runtime);
    this.saved = texts && new SavedSnapshot(texts, place, warn, clock);
    const accepting = { acceptLossAfterMs: acceptLossAfterMs(settings) };
    this.flipt =
      watch && new AskFlipt(send, { ...settings, watch, ...accepting }, clock, random, this.closing.signal);
    const { store } = given;
    this.shared =
      store?.shared &&
      watch &&
      texts &&
      this.flipt &&
      new SharedPolls(() => sharedIn(store, place), texts, this.flipt, place, watch.pollMs, warn, clock);
    this.poller = new Poller(
      {
        pollMs: watch?.pollMs ?? Infinity,
        intervalMs: () => (this.shared ? watch?.pollMs : this.flipt?.intervalMs()) ?? Infinity,
        isShared: this.shared !== undefined,
        turn: async (current, wanted) =>
          this.shared?.turn(current, wanted) ?? this.flipt?.ask(current, wanted) ?? { kind: 'no-news' },
        save: (confirmed) => {
          (this.shared ?? this.saved)?.confirmed(confirmed);
        },
      },
      {
        ...news,
        polled: (failure) => {
          if (failure === undefined) this.misspelt.snapshotArrived();
          news.polled(failure);
        },
      },
      this.reports,
      runtime,
    );
    this.misspelt = new MisspeltKeys(
      () => this.snapshot(),
      (flag, like) => {
        this.reports.misspelt(flag, like);
      },
      clock,
    );
  }

  /** Resolves once the saved or initial snapshot counts, if there is one, and polls have begun. */
  open(): Promise<void> {
    return (this.opening ??= untilAborted(this.openNow(), this.closing.signal, undefined));
  }

  snapshot(): Snapshot | undefined {
    return this.poller.snapshot();
  }

  fliptVersion(): string | undefined {
    return this.flipt?.fliptVersion();
  }

  store(): StoreReading | undefined {
    return (this.shared ?? this.saved)?.read();
  }

  /** Waits for a poll that is due or under way. */
  async polled(): Promise<void> {
    await this.opening;
    if (this.poller.isDue() || this.poller.isPolling()) await this.poller.poll();
  }

  /** Waits for a poll that is due or under way, and for the save that follows. */
  async refresh(): Promise<void> {
    await this.polled();
    await this.flush();
  }

  evaluate(question: Question): KnownAnswer | undefined {
    return answerFrom(this.snapshot(), question);
  }

  /** Without polls, nobody would notice that the flag changes. */
  confirms(question: Question, answer: KnownAnswer): boolean {
    return this.settings.watch !== undefined && confirmsAnswer(this.snapshot(), question, answer);
  }

  explain(question: Question): Explanation | undefined {
    return explanationFrom(this.snapshot(), question);
  }

  /** The app has asked for a flag that does not exist. */
  missing(flag: string): void {
    this.misspelt.missing(flag);
  }

  /** A stream to a Flipt that is gone opens again later. */
  unreachable(): void {
    this.stream?.end();
  }

  /** Without the address and the environment, so that a test can start from it. */
  async getSnapshot(): Promise<object | undefined> {
    const known = this.poller.dated();
    const { namespace } = this.settings;
    return known && snapshotObject({ ...known, etag: undefined }, { namespace }, this.runtime.clock);
  }

  async flush(): Promise<void> {
    if (this.shared === undefined) await this.saved?.flush();
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.poller.close();
    this.stream?.close();
    await this.flush();
  }

  private async openNow(): Promise<void> {
    const { watch, initTimeoutMs } = this.settings;
    const { clock } = this.runtime;
    // Half of the start is left for Flipt if the store hangs.
    const loading = this.load(initTimeoutMs / 2);
    await (watch === undefined ? loading : orLate(loading, START_WAIT_MS, clock));
    if (watch === undefined) {
      const snapshot = this.snapshot();
      // No poll will replace it.
      if (snapshot && !this.closing.signal.aborted) this.reports.logIfOld();
      if (snapshot) this.reports.inForce(snapshot);
      // Another start may find what the store could not give.
      else this.opening = undefined;
      return;
    }
    if (this.closing.signal.aborted) return;
    this.poller.start();
    if (watch.stream) this.openStream();
    this.stayForFirstSave();
  }

  /** Of the saved and the initial snapshot, the younger one counts. */
  private async load(withinMs: number): Promise<void> {
    const { settings, runtime, warn } = this;
    const [saved, initial] = await Promise.all([
      this.saved?.load(withinMs),
      initialSnapshot(settings.snapshot, settings, warn, runtime.clock),
    ]);
    const isSavedYounger =
      saved && hasFlags(saved.snapshot) && saved.confirmedAt >= (initial?.confirmedAt ?? -Infinity);
    const found: StartingSnapshot | undefined = isSavedYounger ? saved : (initial ?? saved);
    if (found === undefined) return;
    this.poller.adopt(found);
    this.misspelt.snapshotArrived();
  }

  private openStream(): void {
    const settings = {
      ...this.settings,
      changed: (...news: Parameters<Reports['stream']>) => {
        this.reports.stream(...news);
      },
      poll: () => this.poller.poll(),
      version: () => this.snapshot()?.version,
      fliptVersion: () => this.fliptVersion(),
    };
    this.stream = new ChangeStream(this.send, settings, this.runtime);
  }

  /** A script that ends after its first answers saves its snapshot before. */
  private stayForFirstSave(): void {
    if (this.saved === undefined || this.shared !== undefined) return;
    const stopStaying = this.runtime.clock.after(this.settings.initTimeoutMs, () => undefined);
    void this.poller
      .poll()
      .then(() => this.flush())
      .finally(stopStaying);
  }
}

function sharedIn(store: SnapshotStore, place: SnapshotPlace): SharedSnapshot {
  const shared = store.shared?.(place);
  if (shared === undefined) throw new Error('shared() has given nothing');
  return shared;
}

function textStore(
  { store, file }: SnapshotOptions,
  place: SnapshotPlace,
  closing: AbortSignal,
  { clock }: Runtime,
): TextStore | undefined {
  const ofUser: TextStore | undefined = store && {
    name: 'the store',
    load: async () => ({ text: await store.load(place) }),
    save: async (text: string) => store.save(text, place),
  };
  const texts = ofUser ?? (file === undefined ? undefined : fileStore(file, place, clock));
  // A load that hangs must not outlive the provider.
  return texts && { ...texts, load: () => untilAborted(texts.load(), closing, { text: undefined }) };
}
