import type { Clock } from '../base/time/clock.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { safeStore, type TextStore } from './stores/safe-store.js';
import { unsteered } from '../base/text/describe.js';
import { sendableEtag } from '../base/text/header.js';
import type { Known } from './fetch-snapshot.js';
import { LONG_BYTES } from './stores/file-store.js';
import { hasFlags, type Snapshot } from './snapshot.js';
import { readKept, keptHeader, keptText, type ConfirmedSnapshot } from './kept-text.js';

/**
 * While the snapshot does not change and the store works, the provider saves the snapshot again only when the date of
 * confirmation in the store is this many milliseconds old, and when the provider closes.
 */
const CONFIRMATION_KEPT_EVERY_MS = 300_000;
/**
 * If a save has failed, the provider saves again when the service next confirms the snapshot after this many
 * milliseconds, because the store may still hold an older snapshot.
 */
const FAILED_SAVE_AGAIN_MS = 30_000;

/**
 * Keeps the newest snapshot in a store, so that the snapshot survives restarts of the app. `file` is the path of the
 * store's file, or `undefined` if the app has given a store of its own.
 */
export function keepAcrossRestarts(
  store: TextStore,
  { file, ...place }: SnapshotPlace & { readonly file: string | undefined },
  warn: (message: string) => void,
  clock: Clock,
) {
  const path = file === undefined ? undefined : `snapshot.file ${unsteered(file)}`;
  const kept = safeStore(store, path ?? 'the store', warn, clock);
  let newest: ConfirmedSnapshot | undefined;
  let isClosing = false;
  let begin: (etag: string | undefined) => void = () => undefined;
  const begun = new Promise<string | undefined>((resolve) => {
    begin = resolve;
  });
  /**
   * The snapshot that was loaded from the store, or that this process has last begun to save in the store. The
   * reference is weak, so that the saved snapshot does not stay in memory if another snapshot comes into force that is
   * never saved in this store.
   */
  let inStore: { readonly snapshot: WeakRef<Snapshot>; readonly confirmedAt: number } | undefined;

  /**
   * Whether the store may hold flags that this process does not know, because loading the store has not ended or has
   * failed.
   */
  let mayHoldFlags = true;
  /**
   * While `isLoading` is `true`, nothing is saved before the close, because a save would replace the snapshot that is
   * being loaded.
   */
  let isLoading = false;

  const isInStore = ({ snapshot, confirmedAt }: ConfirmedSnapshot) => {
    inStore = { snapshot: new WeakRef(snapshot), confirmedAt };
  };
  const save = (confirmed: ConfirmedSnapshot) => {
    kept.save(() => {
      isInStore(confirmed);
      return keptText(confirmed, place, clock, () => !isClosing);
    });
  };

  const isKept = ({ snapshot, confirmedAt }: ConfirmedSnapshot) => {
    const keptForMs = kept.read().isFailing ? FAILED_SAVE_AGAIN_MS : CONFIRMATION_KEPT_EVERY_MS;
    // The snapshots themselves are compared and not their versions, because a Flipt with wrong ETags can give two
    // different snapshots the same version.
    return inStore?.snapshot.deref() === snapshot && confirmedAt - inStore.confirmedAt < keptForMs;
  };
  /**
   * Reads the first line of a long saved snapshot. If the line is usable, this function resolves `begun` with the ETag
   * in the line, and then waits until the flags of the snapshot are needed.
   */
  const readWhenNeeded = async (beginning: string | Buffer, needed: Promise<void> | undefined) => {
    const header = keptHeader(beginning, place);
    if (needed === undefined || 'wrong' in header) return;
    begin(sendableEtag(header.etag));
    await needed;
  };
  const load = async (withinMs: number, needed: Promise<void> | undefined) => {
    const beginning = needed && (await kept.beginning(withinMs));
    if (beginning !== undefined) await readWhenNeeded(beginning, needed);
    const text = await kept.load(withinMs);
    mayHoldFlags = text === undefined && kept.read().isFailing;
    if (text === undefined) return undefined;
    if (beginning === undefined && text.length > LONG_BYTES) await readWhenNeeded(text, needed);
    const read = await readKept(text, place, clock);
    if ('wrong' in read) {
      warn(`${path ?? 'the kept snapshot'} is not used: ${read.wrong}`);
      return undefined;
    }
    isInStore(read);
    return read;
  };

  return {
    /**
     * A promise that resolves with the ETag of the saved snapshot when `load` has read the first line of a long text and
     * waits for `needed`. If `load` never waits for `needed`, the promise never settles.
     */
    begun,
    /**
     * Loads the snapshot from the store. If the text of the snapshot is long, only its first line is read until
     * `needed` resolves. Without `needed`, the whole text is read at once. The promise resolves with `undefined` if
     * there is no snapshot, or if it cannot be used or does not come in time. The promise never rejects.
     */
    async load(withinMs: number, needed?: Promise<void>) {
      isLoading = true;
      const loaded = await load(withinMs, needed);
      isLoading = false;
      if (newest !== undefined && !isKept(newest) && !isClosing) save(newest);
      return loaded;
    },
    /**
     * To be called when the service has just served or confirmed the snapshot in force. `confirmed` usually saves that
     * snapshot if the store does not hold it yet, or if the store's date of confirmation is too old.
     */
    confirmed: (known: Known) => {
      // As long as the store has not been read, it might hold a snapshot with flags. Until the store has been read, a
      // snapshot without flags is not saved, because the save would replace the flags in the store.
      if (mayHoldFlags && inStore === undefined && !hasFlags(known.snapshot)) return;
      newest = { ...known, confirmedAt: clock.now() };
      if (!isLoading && !isKept(newest)) save(newest);
    },
    /** Saves the newest snapshot now if a save is due. The promise never rejects. */
    flush: kept.flush,
    /**
     * Saves the newest snapshot if the store does not hold it with its last date of confirmation, and completes pending
     * saves. The promise never rejects.
     */
    async close() {
      isClosing = true;
      const isKept = newest?.confirmedAt === inStore?.confirmedAt && !kept.read().isFailing;
      if (newest !== undefined && !isKept) save(newest);
      await kept.close();
    },
    store: kept.read,
  };
}
