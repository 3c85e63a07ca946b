import type { Clock } from '../base/time/clock.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { safeStore, type TextStore } from './stores/safe-store.js';
import { unsteered } from '../base/text/describe.js';
import { sendableEtag } from '../base/text/header.js';
import type { Known } from './fetch-snapshot.js';
import { hasFlags, type Snapshot } from './snapshot.js';
import { readKept, keptHeader, keptText, type ConfirmedSnapshot } from './kept-text.js';

/**
 * While the snapshot does not change, the store's date of confirmation may be this many milliseconds old before the
 * provider saves it again.
 */
const CONFIRMATION_KEPT_EVERY_MS = 300_000;
/**
 * After a failed save, the provider saves again this many milliseconds later, because the store may still hold an older
 * snapshot.
 */
const FAILED_SAVE_AGAIN_MS = 30_000;

/**
 * Keeps the newest snapshot in a store, so that it survives restarts. `file` is the path of the store's file, or
 * `undefined` if the store is the user's.
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
   * The snapshot that the store holds, or will hold soon. The reference is weak, because another snapshot may come into
   * force that is never saved here.
   */
  let inStore: { readonly snapshot: WeakRef<Snapshot>; readonly confirmedAt: number } | undefined;

  /** Whether the store may hold flags that are not known here, because it has not been loaded or could not be. */
  let mayHoldFlags = true;

  const isInStore = ({ snapshot, confirmedAt }: ConfirmedSnapshot) => {
    inStore = { snapshot: new WeakRef(snapshot), confirmedAt };
  };
  const save = (confirmed: ConfirmedSnapshot) => {
    kept.save(() => {
      isInStore(confirmed);
      return keptText(confirmed, place, clock, () => !isClosing);
    });
  };

  return {
    /**
     * Resolves with the ETag of the snapshot that `load` has begun to read. If the store holds no snapshot, the promise
     * never settles.
     */
    begun,
    /**
     * Loads the snapshot from the store. The promise resolves with `undefined` if the snapshot cannot be used, and
     * never rejects.
     */
    async load(withinMs: number) {
      const text = await kept.load(withinMs);
      mayHoldFlags = text === undefined && kept.read().isFailing;
      if (text === undefined) return undefined;
      const header = keptHeader(text, place);
      if (!('wrong' in header)) begin(sendableEtag(header.etag));
      const read = await readKept(text, place, clock);
      if ('wrong' in read) {
        warn(`${path ?? 'the kept snapshot'} is not used: ${read.wrong}`);
        return undefined;
      }
      isInStore(read);
      return read;
    },
    /** Keeps the snapshot in force, which the service has just confirmed. */
    confirmed: (known: Known) => {
      // A snapshot without flags must not replace one with flags that has not been loaded, or could not be.
      if (mayHoldFlags && inStore === undefined && !hasFlags(known.snapshot)) return;
      newest = { ...known, confirmedAt: clock.now() };
      const keptForMs = kept.read().isFailing ? FAILED_SAVE_AGAIN_MS : CONFIRMATION_KEPT_EVERY_MS;
      const isKept =
        // The snapshots themselves are compared and not their versions, because a wrong tag may be the same for two
        // snapshots.
        inStore?.snapshot.deref() === known.snapshot && newest.confirmedAt - inStore.confirmedAt < keptForMs;
      if (!isKept) save(newest);
    },
    /** Completes a save that is due. The promise never rejects. */
    flush: kept.flush,
    /** Completes pending saves. The promise never rejects. */
    async close() {
      isClosing = true;
      const isKept = newest?.confirmedAt === inStore?.confirmedAt && !kept.read().isFailing;
      if (newest !== undefined && !isKept) save(newest);
      await kept.close();
    },
    store: kept.read,
  };
}
