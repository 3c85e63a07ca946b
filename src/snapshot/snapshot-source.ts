import { oneTimer, type Clock } from '../base/time/clock.js';
import { inTime, orLate, untilAborted } from '../base/time/in-time.js';
import { coalesced } from '../base/time/background-work.js';
import type { Send } from '../http/reply.js';
import type { SnapshotOptions } from '../options/provider-options.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import type { Runtime } from '../model/runtime.js';
import { fileStore } from './stores/file-store.js';
import { LOST_AFTER_MS, type StoreReading } from './stores/store-failures.js';
import { givenSnapshot, initialSnapshot } from './given-snapshot.js';
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
  /** The settings for watching the service. If `watch` is `undefined`, the provider never polls the service. */
  readonly watch: ServiceWatchSettings['watch'] | undefined;
  readonly snapshot: SnapshotOptions;
  /**
   * With `in-process`, the snapshot gives almost all answers, so the start waits for the first poll. With any other
   * value, the start does not have to wait for the first poll.
   */
  readonly evaluation?: 'remote' | 'in-process' | undefined;
  /**
   * `staleOnErrorForMs` is the number of milliseconds for which a cached answer can still be used in an outage. If
   * `cache` is missing, this time is one hour, which is also the default of the option `cache.staleOnErrorForMs`.
   */
  readonly cache?: { readonly staleOnErrorForMs: number } | undefined;
  /**
   * If the service does not answer a request for an evaluation within this many milliseconds, the snapshot can give the
   * answer. The flags of a long saved snapshot are read after half of `deadlineMs` at the latest, so that the snapshot
   * can answer in time. Default: no such limit.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * A call of the store that loads the saved snapshot can take at most this many milliseconds, or half of them if the
   * service is watched.
   */
  readonly initTimeoutMs: number;
}

/**
 * If there is no cache, this number of milliseconds is used in place of `cache.staleOnErrorForMs`. The number equals
 * the default of `cache.staleOnErrorForMs`.
 */
const ACCEPT_LOSS_AFTER_MS = 3_600_000;

/**
 * Returns the milliseconds for which the provider usually keeps its flags after Flipt has begun to answer that it has
 * no flags.
 */
export function acceptLossAfterMs({ cache }: Pick<SnapshotSourceSettings, 'cache'>): number {
  return cache?.staleOnErrorForMs ?? ACCEPT_LOSS_AFTER_MS;
}

/** What a snapshot source needs to know about the provider's start and close. */
export interface SourceLife {
  readonly warn: (message: string) => void;
  /** The signal is aborted when the provider is closed. */
  readonly closing: AbortSignal;
  /**
   * Returns whether the provider is still starting, so that OpenFeature has not been told yet that the provider is
   * ready. By default, the provider is not starting.
   */
  readonly isStarting?: (() => boolean) | undefined;
}

/**
 * If the service is watched, the provider waits at most this many milliseconds for the saved snapshot before it begins
 * to poll. A shared store also has this many milliseconds for its first answer.
 */
export const START_WAIT_MS = 250;

/**
 * In remote mode, the first poll would delay the app's first answers, which do not need the snapshot. The first poll
 * therefore waits for a call of `hurry`, but at most this many milliseconds, and never longer than `watch.pollMs`. The
 * first poll comes at once with `watch.stream`, with a usable `snapshot.initial`, with a shared store, or if the place
 * for a saved snapshot is empty. If that place holds a snapshot and is not shared, the first poll comes at a random
 * time in the first interval.
 */
const FIRST_POLL_MS = 250;

/**
 * The snapshot in force, the watch that keeps the snapshot up to date, and the store that keeps the snapshot across
 * restarts.
 */
export interface SnapshotSource extends SnapshotAnswers {
  readonly watch: Watch;
  /**
   * Returns `true` only if no snapshot is in force yet, and an earlier run has saved a long snapshot whose flags have
   * not been read yet.
   */
  readonly isUnread: () => boolean;
  /**
   * Reads the flags of the saved snapshot now if `isUnread` returns `true`. The promise resolves when the saved snapshot
   * is in force, or cannot be used. The promise never rejects.
   */
  readonly readSaved: () => Promise<void>;
  /**
   * Lets the first poll come now if it has been delayed for the first answers. The promise resolves when a first poll
   * that was delayed has ended, and otherwise at once. The promise never rejects.
   */
  readonly hurry: () => Promise<void>;
  /**
   * Returns the snapshot as plain JSON values, from which another provider can start later. Returns `undefined` before
   * the first snapshot.
   */
  readonly body: () => object | undefined;
  /**
   * To be called when answers of the service contradict the snapshot in force. After this call, the next poll that this
   * instance sends to Flipt usually fetches a whole snapshot.
   */
  readonly doubt: () => void;
  /**
   * To be called when Flipt has refused a connection. The call ends an open stream of changes, which the provider opens
   * again later.
   */
  readonly refused: () => void;
  /** Returns the state of the store, or `undefined` if there is no store. */
  readonly store: () => StoreReading | undefined;
  /**
   * Returns the version of Flipt in the form in which Flipt writes it. Returns `undefined` if this instance has not
   * asked for the version, or if Flipt has not named one.
   */
  readonly fliptVersion: () => string | undefined;
  /**
   * Waits for a poll that is due or under way, and then for the version of Flipt, which can cause another poll. The
   * promise never rejects.
   */
  readonly refresh: () => Promise<void>;
  /** Saves the newest snapshot now if a save is due. The promise never rejects. */
  readonly flush: () => Promise<void>;
  /** Ends the watch, and completes pending saves. The promise never rejects. */
  readonly close: () => Promise<void>;
}

/**
 * Loads the snapshot that an earlier run has saved, and then begins to poll if `watch` is set. Of a long snapshot, only
 * the first line is read before the poll, because the poll needs the ETag in that line. The flags of a long snapshot
 * are read when they are needed, for example because the service answers that nothing has changed or that it has no
 * flags, or because a poll fails. The provider begins to read the flags of a long snapshot after 250 ms at the latest,
 * or after half of `deadlineMs` if that is shorter, so that the provider can use these flags if the service fails
 * later. If the service is not watched, if the store is shared, a long snapshot is
 * read whole at once. If the provider is closed while the start waits for the saved snapshot, no request is sent to
 * Flipt. The promise never rejects.
 */
export async function openSnapshotSource(
  send: Send,
  settings: SnapshotSourceSettings,
  { warn, closing, isStarting = () => false }: SourceLife,
  runtime: Runtime,
): Promise<SnapshotSource> {
  const { clock } = runtime;
  const { url, namespace, environment, watch: options, snapshot: given, initTimeoutMs } = settings;
  const place = { url, namespace, environment };
  const store = textStore(given, place, { closing, initTimeoutMs }, clock);
  const calls =
    options !== undefined && store
      ? storeCalls(() => given.store?.shared?.(place), store, warn, clock)
      : undefined;
  // This call finds out whether the store answers. If the store does not answer, later calls fail at once until the
  // store answers or two minutes have passed.
  void calls?.turn(0, START_WAIT_MS);
  const kept = store && keepAcrossRestarts(store, { ...place, file: given.file }, warn, clock);
  const initial = () => initialSnapshot(given, place, warn, clock);
  // If the service is watched, loading the saved snapshot can take half of the start's time, so that enough time is
  // left to poll the service if the store hangs.
  const loadMs = options === undefined ? initTimeoutMs : initTimeoutMs / 2;
  const isOwn = given.store?.shared === undefined;
  const readWithinMs = Math.min(START_WAIT_MS, (settings.deadlineMs ?? Infinity) / 2);
  const needed =
    kept && options !== undefined && isOwn ? neededLater(readWithinMs, closing, clock) : undefined;
  const loading = youngestSnapshot(kept?.load(loadMs, needed?.promise), given, initial, clock);
  let adopted = Promise.resolve();
  /**
   * Reads the flags of a long saved snapshot now, and resolves when the saved snapshot is in force or cannot be used.
   */
  const readNow = () => {
    needed?.now();
    return adopted;
  };
  const first = kept ? Promise.race([loading, expectedSnapshot(kept.begun, loading, readNow)]) : loading;
  const loaded = options === undefined ? await loading : await orLate(first, START_WAIT_MS, clock);
  const expected = typeof loaded === 'object' && 'whole' in loaded ? loaded : undefined;
  const starting = typeof loaded === 'object' && 'snapshot' in loaded ? loaded : undefined;
  let isUnread = expected !== undefined;
  const isRemote = calls === undefined && settings.evaluation === 'remote';
  const isPatient = isRemote && (isUnread || starting?.isKept === true);
  const isDelayed = isRemote && kept === undefined && starting === undefined && options?.stream === false;
  const firstPollMs = () => {
    if (options === undefined) return 0;
    if (isPatient) return options.pollMs * runtime.random();
    return isDelayed ? Math.min(FIRST_POLL_MS, options.pollMs) : 0;
  };
  const how = {
    starting,
    expected,
    calls,
    // If the provider evaluates in-process, nobody needs to know which flags change during the start.
    isCompared: () => settings.evaluation !== 'in-process' || !isStarting(),
    // Only the holder of the lease writes into a shared store.
    confirmed: given.store?.shared === undefined ? kept?.confirmed : undefined,
    firstPollMs: firstPollMs(),
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
  if (starting === undefined) {
    adopted = loading.then(async (late) => {
      await watch.adopt(late);
      isUnread = false;
      // A patient watch delays its first poll because it has the saved snapshot. If the saved snapshot is not used after
      // all, the first poll comes now.
      if (isPatient && late?.isKept !== true) void watch.poll();
    });
  }
  const answers = snapshotAnswers(watch.snapshot, runtime);

  return {
    ...answers,
    watch,
    isUnread: () => isUnread && watch.snapshot() === undefined,
    readSaved: readNow,
    async hurry() {
      if (isDelayed) await watch.pollFirst();
    },
    // Without a watch, the provider would not notice that a flag changes, so no answer of the service counts as
    // confirmed.
    confirms: options === undefined ? () => false : answers.confirms,
    body() {
      const snapshot = watch.snapshot();
      if (snapshot === undefined) return undefined;
      // The environment is left out, because a test that starts from this snapshot usually has no environment.
      return givenSnapshot(snapshot, watch.confirmedAt(), { namespace, environment: undefined }, clock);
    },
    doubt: source.doubt,
    refused: source.refused,
    store: () => calls?.read() ?? kept?.store(),
    fliptVersion: () => source.version?.read(),
    async refresh() {
      await watch.refresh();
      await source.version?.settled();
      await watch.refresh();
    },
    async flush() {
      await kept?.flush();
    },
    async close() {
      await Promise.all([source.close(), kept?.close()]);
    },
  };
}

/**
 * Resolves when the first line of a long saved snapshot has been read. `readNow` reads the flags of this snapshot, and
 * resolves when the snapshot is in force or cannot be used. This function stands outside of `openSnapshotSource`,
 * because a closure there would keep the snapshot in memory.
 */
async function expectedSnapshot(
  begun: Promise<string | undefined>,
  loading: Promise<Known | undefined>,
  readNow: () => Promise<void>,
): Promise<ExpectedSnapshot> {
  const etag = await begun;
  return {
    etag,
    whole: async () => {
      await readNow();
      return loading;
    },
  };
}

/** Makes a promise that resolves after `withinMs` milliseconds, or earlier when `now` is called. */
function neededLater(withinMs: number, closing: AbortSignal, clock: Clock) {
  const timer = oneTimer(clock);
  closing.addEventListener('abort', timer.stop, { once: true });
  let now: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    now = resolve;
    timer.set(withinMs, resolve, 'background');
  });
  return { promise, now };
}

/** Makes a source that never sends a request, so that its snapshot never changes. */
function unwatched(starting: StartingSnapshot | undefined, runtime: Runtime) {
  const watch = openWatch({ fetch: undefined, pollMs: Infinity, patienceMs: 0, starting }, runtime);
  return { watch, version: undefined, doubt: () => {}, refused: () => {}, close: () => Promise.resolve() };
}

function textStore(
  { store, file }: SnapshotOptions,
  place: SnapshotPlace,
  { closing, initTimeoutMs }: { readonly closing: AbortSignal; readonly initTimeoutMs: number },
  clock: Clock,
) {
  const mostMs = Math.max(initTimeoutMs, LOST_AFTER_MS);
  const lost = () => new Error(`no answer within ${mostMs} ms`);
  const ofFile =
    store === undefined && file !== undefined ? fileStore(file, keptBeginning(place)) : undefined;
  const source = store ?? ofFile;
  if (source === undefined) return undefined;
  const limited = <T>(loading: Promise<T>) =>
    inTime(untilAborted(loading, closing, undefined), mostMs, clock, lost, 'background');
  const load = async () => source.load(place);
  return {
    // At the start, the saved snapshot and the snapshot of a shared store's record are the same text, which is loaded
    // once for both.
    load: coalesced(() => limited(load())),
    beginning: ofFile && (() => limited(ofFile.beginning())),
    save: (text: string) => source.save(text, place),
  };
}
