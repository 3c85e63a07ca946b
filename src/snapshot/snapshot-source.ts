import type { Clock } from '../base/time/clock.js';
import { inTime, orLate, untilAborted } from '../base/time/in-time.js';
import { coalesced } from '../base/time/background-work.js';
import type { Send } from '../http/reply.js';
import type { SnapshotOptions } from '../options/snapshot-options.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import type { Runtime } from '../model/runtime.js';
import { fileStore } from './stores/file-store.js';
import { LOST_AFTER_MS, type StoreReading } from './stores/store-failures.js';
import { givenSnapshot, initialSnapshot } from './given-snapshot.js';
import { nextTurn } from '../base/time/pausable-steps.js';
import type { ExpectedSnapshot, Known } from './fetch-snapshot.js';
import { keepAcrossRestarts } from './keep-across-restarts.js';
import { watchService, type ServiceWatchSettings } from './polls-and-stream.js';
import { storeCalls } from './shared/store-calls.js';
import { youngestSnapshot } from './starting-snapshot.js';
import { snapshotAnswers, type SnapshotAnswers } from './snapshot-answers.js';
import { keptBeginning } from './kept-text.js';
import { openWatch } from './watch/poll-watch.js';
import type { StartingSnapshot, Watch } from './watch/watch.js';

export interface SnapshotSourceSettings extends Omit<ServiceWatchSettings, 'watch' | 'acceptLossAfterMs'> {
  /** `undefined`: the service is not asked. */
  readonly watch: ServiceWatchSettings['watch'] | undefined;
  readonly snapshot: SnapshotOptions;
  /** Whether the start waits for the first poll, as it does in-process. Default: it may wait. */
  readonly evaluation?: 'remote' | 'in-process' | undefined;
  /** How long a known answer may be used in an outage. Default: as long as the option says by default. */
  readonly cache?: { readonly staleOnErrorForMs: number } | undefined;
  /** Milliseconds that loading the kept snapshot may take. */
  readonly initTimeoutMs: number;
}

/** Where nothing is cached, this takes the place of `cache.staleOnErrorForMs`: the default of the option. */
const ACCEPT_LOSS_AFTER_MS = 3_600_000;

/** For so many milliseconds, a Flipt that has lost its flags is not believed. */
export function acceptLossAfterMs({ cache }: Pick<SnapshotSourceSettings, 'cache'>): number {
  return cache?.staleOnErrorForMs ?? ACCEPT_LOSS_AFTER_MS;
}

/** What a source learns of the provider's life. */
export interface SourceLife {
  readonly warn: (message: string) => void;
  /** Aborted when the provider is closed. */
  readonly closing: AbortSignal;
  /** Whether OpenFeature has not been told yet that the provider is ready. Default: it has been told. */
  readonly isStarting?: (() => boolean) | undefined;
}

/** How long the start waits for the kept snapshot, and a shared store for its first answer. */
export const START_WAIT_MS = 250;

/** The snapshot in force, its watch, and the store that keeps it. */
export interface SnapshotSource extends SnapshotAnswers {
  readonly watch: Watch;
  /** A kept snapshot that is still being read; `undefined` if there is none. */
  readonly expected: Promise<Known | undefined> | undefined;
  /** The snapshot in plain JSON values, to start from it later; `undefined` before the first. */
  readonly body: () => object | undefined;
  /** Answers of the service contradict the snapshot in force: the next poll fetches a whole one. */
  readonly doubt: () => void;
  /** The state of the store; `undefined` if there is none. */
  readonly store: () => StoreReading | undefined;
  /** The version of Flipt, as Flipt writes it; `undefined` if this instance has not asked for it, or got none. */
  readonly fliptVersion: () => string | undefined;
  /**
   * Polls if that is due and no poll is under way, and waits for the version of Flipt, which may bring another poll.
   * `signal` ends the poll of this call alone. Never rejects.
   */
  readonly refresh: (signal?: AbortSignal) => Promise<void>;
  /** Completes a save that is due. Never rejects. */
  readonly flush: () => Promise<void>;
  /** Completes pending saves. Never rejects. */
  readonly close: () => Promise<void>;
}

/**
 * Loads the kept snapshot, then begins to poll. Never rejects. If the kept snapshot is still loading when the
 * provider is closed, nothing is sent. Once its first line is there, its flags are read while the service answers.
 */
export async function openSnapshotSource(
  send: Send,
  settings: SnapshotSourceSettings,
  { warn, closing, isStarting = () => false }: SourceLife,
  runtime: Runtime,
): Promise<SnapshotSource> {
  const { clock } = runtime;
  const { url, namespace, environment, watch: options, snapshot: given, initTimeoutMs } = settings;
  const { background = true } = settings;
  const place = { url, namespace, environment };
  const store = textStore(given, place, { closing, initTimeoutMs }, clock);
  // A lease is renewed between calls. Without a background, the store is only read.
  const isShared = background && options !== undefined;
  const calls =
    isShared && store ? storeCalls(() => given.store?.shared?.(place), store, warn, clock) : undefined;
  // Finds out whether the store answers. If it does not, later calls fail at once until it does.
  void calls?.turn(0, START_WAIT_MS);
  const kept = store && keepAcrossRestarts(store, { ...place, file: given.file }, warn, clock);
  const initial = () => initialSnapshot(given, place, warn, clock);
  // It may take longer than the start waits. A store that hangs must leave enough of the time to ask the service.
  const loadMs = options === undefined ? initTimeoutMs : initTimeoutMs / 2;
  const loading = youngestSnapshot(kept?.load(loadMs), given, initial, clock);
  const expecting = async (begun: Promise<string | undefined>): Promise<ExpectedSnapshot> => {
    const etag = await begun;
    // A short one has been read by then.
    await nextTurn(clock);
    return { etag, whole: loading };
  };
  const isOwn = background && given.store?.shared === undefined;
  const mayBeLong = kept !== undefined && isOwn && given.initial === undefined;
  const first = mayBeLong ? Promise.race([loading, expecting(kept.begun)]) : loading;
  const loaded = options === undefined ? await loading : await orLate(first, START_WAIT_MS, clock);
  const expected = typeof loaded === 'object' && 'whole' in loaded ? loaded : undefined;
  const starting = typeof loaded === 'object' && 'snapshot' in loaded ? loaded : undefined;
  const how = {
    starting,
    expected,
    calls,
    // In-process, nothing is known but from the snapshot.
    isCompared: () => settings.evaluation !== 'in-process' || !isStarting(),
    // In a shared store, only the holder of the lease writes.
    confirmed: given.store?.shared === undefined ? kept?.confirmed : undefined,
    isPatient:
      background &&
      calls === undefined &&
      settings.evaluation === 'remote' &&
      (expected !== undefined || starting?.isKept === true),
  };
  const source =
    options === undefined || closing.aborted
      ? unwatched(starting, runtime)
      : watchService(
          send,
          { ...settings, watch: options, acceptLossAfterMs: acceptLossAfterMs(settings) },
          how,
          runtime,
        );
  const { watch } = source;
  if (starting === undefined) void loading.then((late) => watch.adopt(late));
  const answers = snapshotAnswers(watch.snapshot, runtime);

  return {
    ...answers,
    watch,
    expected: expected?.whole,
    // Only a watch would notice that the flag changes.
    confirms: options === undefined ? () => false : answers.confirms,
    body() {
      const snapshot = watch.snapshot();
      if (snapshot === undefined) return undefined;
      // Without the environment, because a test that uses it has none.
      return givenSnapshot(snapshot, watch.confirmedAt(), { namespace, environment: undefined }, clock);
    },
    doubt: source.doubt,
    store: () => calls?.read() ?? kept?.store(),
    fliptVersion: () => source.version?.read(),
    async refresh(signal) {
      await watch.refresh(signal);
      await source.version?.settled();
      await watch.refresh(signal);
    },
    async flush() {
      await kept?.flush();
    },
    async close() {
      await Promise.all([source.close(), kept?.close()]);
    },
  };
}

/** Sends nothing, so nothing changes. */
function unwatched(starting: StartingSnapshot | undefined, runtime: Runtime) {
  const watch = openWatch({ fetch: undefined, pollMs: Infinity, patienceMs: 0, starting }, runtime);
  return { watch, version: undefined, doubt: () => {}, close: () => Promise.resolve() };
}

function textStore(
  { store, file }: SnapshotOptions,
  place: SnapshotPlace,
  { closing, initTimeoutMs }: { readonly closing: AbortSignal; readonly initTimeoutMs: number },
  clock: Clock,
) {
  const mostMs = Math.max(initTimeoutMs, LOST_AFTER_MS);
  const lost = () => new Error(`no answer within ${mostMs} ms`);
  const source = store ?? (file === undefined ? undefined : fileStore(file, keptBeginning(place)));
  if (source === undefined) return undefined;
  const load = async () => source.load(place);
  return {
    // The limit of a load keeps the process alive, so it must end when the provider closes.
    // At the start, the kept snapshot and that of a shared store's record are the same text: it is loaded once.
    load: coalesced(() => inTime(untilAborted(load(), closing, undefined), mostMs, clock, lost, 'limit')),
    save: (text: string) => source.save(text, place),
  };
}
