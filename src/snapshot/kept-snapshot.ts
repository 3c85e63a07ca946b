import type { Clock } from '../clock.js';
import type { SnapshotOptions, SnapshotPlace } from '../options/snapshot-options.js';
import { fileStore } from '../stores/file-store.js';
import { safeStore, type StoreReading, type TextStore } from '../stores/safe-store.js';
import { messageOf } from '../text/describe.js';
import { unsteered } from '../text/quote.js';
import { parseSnapshot } from './body/parse.js';
import type { Known } from './fetch.js';
import { initialBody, isForOldClients } from './initial.js';
import { snapshotOf } from './snapshot.js';
import { readStored, storedText, type ConfirmedSnapshot } from './snapshot-text.js';
import type { StartingSnapshot } from './watch.js';

/** Keeps the newest snapshot across restarts, if the options ask for it. */
export interface KeptSnapshots {
  /** The kept snapshot, else the initial one, else `undefined`. Never rejects. */
  readonly load: (withinMs: number, closing: AbortSignal) => Promise<StartingSnapshot | undefined>;
  /** Keeps the snapshot in force, which the service has just confirmed. */
  readonly confirmed: (known: Known) => void;
  /** Completes a save that is due. Never rejects. */
  readonly flush: () => Promise<void>;
  /** The state of the store; `undefined` if there is none. */
  readonly store: () => StoreReading | undefined;
  /** Completes pending saves. Never rejects. */
  readonly close: () => Promise<void>;
}

/** While nothing changes, the kept date of confirmation may be this old before it is saved again. */
const CONFIRMATION_KEPT_EVERY_MS = 300_000;

export function keptSnapshots(
  options: SnapshotOptions,
  origin: SnapshotPlace,
  warn: (message: string) => void,
  clock: Clock,
): KeptSnapshots {
  const { namespace } = origin;
  const store = storeOf(options, origin);
  const file = options.file === undefined ? undefined : `snapshot.file ${unsteered(options.file)}`;
  const kept = store && safeStore(store, file ?? 'the store', warn, clock);
  const place = file ?? 'the kept snapshot';
  /** In a shared store, only the holder of the lease writes. */
  const isShared = options.store?.shared !== undefined;
  let newest: ConfirmedSnapshot | undefined;
  /** The snapshot that the store holds, or will hold soon. */
  let inStore: { readonly version: string; readonly confirmedAt: number } | undefined;

  const fromStore = async (withinMs: number, closing: AbortSignal): Promise<StartingSnapshot | undefined> => {
    const text = await kept?.load(withinMs, closing);
    if (text === undefined) return undefined;
    const read = await readStored(text, origin, clock);
    if ('wrong' in read) {
      warn(`${place} is not used: ${read.wrong}`);
      return undefined;
    }
    inStore = { version: read.snapshot.version, confirmedAt: read.confirmedAt };
    return read;
  };

  const fromOptions = async (): Promise<StartingSnapshot | undefined> => {
    if (options.initial === undefined) return undefined;
    try {
      const body = await initialBody(options.initial, namespace, options.semantics ?? 'v1');
      const text = JSON.stringify(body);
      if (isForOldClients(text)) warn(FOR_OLD_CLIENTS);
      const parsed = await parseSnapshot(Buffer.from(text), namespace, clock);
      return {
        snapshot: await snapshotOf(parsed, clock),
        etag: undefined,
        fullBodyMs: 0,
        confirmedAt: undefined,
      };
    } catch (error) {
      warn(`snapshot.initial is not used: ${messageOf(error)}`);
      return undefined;
    }
  };

  const textOf = (confirmed: ConfirmedSnapshot): Promise<string> => {
    inStore = { version: confirmed.snapshot.version, confirmedAt: confirmed.confirmedAt };
    return storedText(confirmed, origin, clock);
  };

  return {
    load: async (withinMs, closing) => (await fromStore(withinMs, closing)) ?? fromOptions(),
    confirmed(known) {
      const confirmedAt = clock.now();
      const confirmed = { ...known, confirmedAt };
      newest = confirmed;
      const isKept =
        inStore?.version === known.snapshot.version &&
        confirmedAt - inStore.confirmedAt < CONFIRMATION_KEPT_EVERY_MS;
      if (!isKept && !isShared) kept?.save(() => textOf(confirmed));
    },
    flush: async () => kept?.flush(),
    async close() {
      const last = newest;
      if (isShared) return;
      if (last !== undefined && last.confirmedAt !== inStore?.confirmedAt) kept?.save(() => textOf(last));
      await kept?.close();
    },
    store: () => kept?.read(),
  };
}

const FOR_OLD_CLIENTS =
  'snapshot.initial was fetched from Flipt v1 without the header X-Flipt-Accept-Server-Version, so that it has no ' +
  'default variants and no constraints on entity ids: fetch it with "X-Flipt-Accept-Server-Version: 1.61.1"';

function storeOf({ store, file }: SnapshotOptions, place: SnapshotPlace): TextStore | undefined {
  if (store === undefined) return file === undefined ? undefined : fileStore(file);
  return { load: () => store.load(place), save: (text) => store.save(text, place) };
}
