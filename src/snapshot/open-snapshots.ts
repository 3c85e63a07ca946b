import { randomUUID } from 'node:crypto';
import { inTime, type Clock } from '../clock.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import { attributeReader } from '../engine/constraints.js';
import { evaluate } from '../engine/evaluate.js';
import type { Explanation } from '../engine/explain/explanation.js';
import { untilAborted } from '../http/attempt.js';
import type { Send } from '../http/reply.js';
import type { KnownAnswer } from '../model/answer.js';
import type { Question } from '../model/question.js';
import type { SnapshotOptions, SnapshotPlace, SnapshotStore } from '../options/snapshot-options.js';
import { writeBody, type SnapshotBody } from './body/write-body.js';
import type { StoreReading } from '../stores/safe-store.js';
import type { Asker } from './fetch.js';
import { keptSnapshots } from './kept-snapshot.js';
import { misspeltKeys } from './misspelt.js';
import { sharedFetch } from './shared/shared-fetch.js';
import { START_WAIT_MS, storeCalls, type StoreCalls } from './shared/store-calls.js';
import { messageOf } from '../text/describe.js';
import { reportUnreadable } from './report-unreadable.js';
import type { StartingSnapshot } from './watch.js';
import {
  openWatching,
  type Sharing,
  type SnapshotInForce,
  type Watching,
  type WatchingSettings,
} from './snapshot-in-force.js';

export interface SnapshotsSettings extends Omit<WatchingSettings, 'watch'> {
  /** `undefined`: the service is not asked. */
  readonly watch: WatchingSettings['watch'] | undefined;
  readonly snapshot: SnapshotOptions;
  /** Whether the start waits for the first poll, as it does in-process. Default: it may wait. */
  readonly evaluation?: 'remote' | 'in-process' | undefined;
  /** Milliseconds that loading the kept snapshot may take. */
  readonly initTimeoutMs: number;
}

export interface SnapshotsLife {
  readonly warn: (message: string) => void;
  /** Aborted when the provider is closed. If the kept snapshot is still loading then, nothing is sent. */
  readonly closing: AbortSignal;
}

/** The snapshot in force: the service's, or until there is one, the kept or initial one. */
export interface OpenSnapshots extends SnapshotInForce {
  /** `undefined` for a flag that is not in the snapshot. */
  readonly evaluate: (question: Question) => KnownAnswer | undefined;
  /** Whether the question's bucket decides its answer. */
  readonly bucketDecides: (question: Question) => boolean;
  /** A flag that is not in the snapshot was asked for. Reports the key that was probably meant, later. */
  readonly missing: (flag: string) => void;
  /** Why a question has its answer; `undefined` before the first snapshot. */
  readonly explain: (question: Question) => Promise<Explanation | undefined>;
  /** The snapshot in plain JSON values, as Flipt serves it; `undefined` before the first. */
  readonly body: () => SnapshotBody | undefined;
  /** The state of the store; `undefined` if there is none. */
  readonly store: () => StoreReading | undefined;
  /** Polls without waiting for the interval. */
  readonly poll: (asker?: Asker) => Promise<void>;
  /** Polls if that is due and no poll is under way, and completes a save that is due. Never rejects. */
  readonly refresh: () => Promise<void>;
  /** The next `refresh` polls, whatever the interval. */
  readonly expire: () => void;
  /** Reports that the last success has become too old, if it has. */
  readonly assess: () => void;
  /** Completes pending saves. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Loads the kept snapshot, then begins to poll. Never rejects. */
export async function openSnapshots(
  send: Send,
  settings: SnapshotsSettings,
  { warn, closing }: SnapshotsLife,
  reporter: Reporter,
  clock: Clock,
  random: () => number,
): Promise<OpenSnapshots> {
  const { namespace, watch, evaluation, initTimeoutMs } = settings;
  const options = withSharedLoads(settings.snapshot);
  const calls = watch && callsTo(options.store, placeOf(settings), { warn, closing }, clock);
  void calls?.probe();
  const kept = keptSnapshots(options, settings, warn, clock);
  // A store that hangs must leave enough of the start time to ask the service.
  const loading = kept.load(watch === undefined ? initTimeoutMs : initTimeoutMs / 2, closing);
  const loaded = watch === undefined ? await loading : await startWaits(loading, clock);
  const starting = loaded === 'late' ? undefined : loaded;
  if (starting !== undefined) reportUnreadable(undefined, starting.snapshot, reporter);
  const sharing: Sharing | undefined =
    calls &&
    ((fetch) => sharedFetch(fetch, calls, { place: placeOf(settings), pollMs: watch.pollMs }, clock));
  const source =
    watch === undefined || closing.aborted
      ? unwatched(starting)
      : openWatching(send, { ...settings, watch }, reporter, clock, random, {
          starting,
          confirmed: kept.confirmed,
          isPatient: sharing === undefined && evaluation === 'remote' && starting?.confirmedAt !== undefined,
          sharing,
        });

  const misspelt = misspeltKeys(
    () => source.snapshot()?.contents.keys() ?? [],
    (flag, like) => {
      reporter.report({ type: 'flag-key-suspect', flag, like });
    },
    clock,
  );
  if (loaded === 'late') {
    void loading.then((late) => {
      if (late === undefined || !source.adopt(late)) return;
      reportUnreadable(undefined, late.snapshot, reporter);
    });
  }

  return {
    ...source,
    confirms(question, answer) {
      const isConfirmed = source.confirms(question, answer);
      if (answer.kind === 'missing' && isConfirmed) misspelt.missing(question.flag);
      return isConfirmed;
    },
    missing: misspelt.missing,
    evaluate(question) {
      const compiled = source.snapshot()?.compiled;
      return compiled?.flag(question.flag) && evaluate(compiled, question);
    },
    bucketDecides({ flag, entity, attributes }) {
      const compiled = source.snapshot()?.compiled.flag(flag);
      return compiled?.bucketDecides(entity, attributeReader(attributes)) ?? false;
    },
    async explain(question) {
      // Loaded on first use: most apps never ask for an explanation.
      const { explain } = await import('../engine/explain/explain.js');
      const compiled = source.snapshot()?.compiled;
      return compiled && explain(compiled, question);
    },
    body() {
      const snapshot = source.snapshot();
      return snapshot && writeBody(namespace, snapshot);
    },
    store: calls?.read ?? kept.store,
    async refresh() {
      await source.refresh();
      await kept.flush();
    },
    async close() {
      await Promise.all([source.close(), kept.close()]);
    },
  };
}

/** The kept snapshot, or `late` if its store does not answer soon. */
function startWaits<T>(loading: Promise<T>, clock: Clock): Promise<T | 'late'> {
  return inTime<T | 'late'>(loading, START_WAIT_MS, clock, () => new Error('late')).catch(() => 'late');
}

/** At the start, the kept snapshot and the one of the store's record are the same text: it is loaded once. */
function withSharedLoads({ store, ...options }: SnapshotOptions): SnapshotOptions {
  if (store?.shared === undefined) return { store, ...options };
  let loading: Promise<string | undefined> | undefined;
  const load = async (place: SnapshotPlace) => {
    try {
      return await store.load(place);
    } finally {
      loading = undefined;
    }
  };
  return {
    ...options,
    store: {
      load: (place) => (loading ??= load(place)),
      save: (text, place) => store.save(text, place),
      shared: store.shared.bind(store),
    },
  };
}

/** The calls to a shared store; `undefined` if the store is not shared. */
function callsTo(
  store: SnapshotStore | undefined,
  place: SnapshotPlace,
  { warn, closing }: SnapshotsLife,
  clock: Clock,
): StoreCalls | undefined {
  try {
    const shared = store?.shared?.(place);
    if (store === undefined || shared === undefined) return undefined;
    // The limit of a load keeps the process alive, so it must end when the provider closes.
    const load = () => untilAborted(store.load(place), closing);
    return storeCalls(shared, load, randomUUID(), warn, clock);
  } catch (error) {
    warn(`The shared store of the snapshot is not used: ${messageOf(error)}`);
    return undefined;
  }
}

function placeOf({ url, namespace, environment }: SnapshotPlace): SnapshotPlace {
  return { url, namespace, environment };
}

/** A watch that sends nothing, so nothing changes. */
function unwatched(starting: StartingSnapshot | undefined): Watching {
  return {
    snapshot: () => starting?.snapshot,
    confirmedAt: () => starting?.confirmedAt,
    lostForMs: () => -Infinity,
    nextPollAt: () => undefined,
    seenWithinMs: () => undefined,
    confirms: () => false,
    poll: () => Promise.resolve(),
    adopt: () => false,
    refresh: () => Promise.resolve(),
    expire: () => undefined,
    assess: () => undefined,
    close: () => Promise.resolve(),
  };
}
