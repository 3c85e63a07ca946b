import type { Clock } from '../base/time/clock.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { safeStore, type TextStore } from './stores/safe-store.js';
import { unsteered } from '../base/text/describe.js';
import { sendableEtag } from '../base/text/header.js';
import type { Known } from './fetch-snapshot.js';
import { hasFlags, type Snapshot } from './snapshot.js';
import { readKept, keptHeader, keptText, type ConfirmedSnapshot } from './kept-text.js';

/** While nothing changes, the kept date of confirmation may be this old before it is saved again. */
const CONFIRMATION_KEPT_EVERY_MS = 300_000;
/** Until a save has succeeded, the store may still hold an older snapshot. */
const FAILED_SAVE_AGAIN_MS = 30_000;

/**
 * Keeps the newest snapshot across restarts. `file` is the path of the store's file; `undefined` if it is the user's
 * store.
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
  /** The snapshot that the store holds, or will hold soon. */
  let inStore: { readonly snapshot: Snapshot; readonly confirmedAt: number } | undefined;

  /** The store may hold flags: it has not been loaded, or could not be. */
  let mayHoldFlags = true;

  const isInStore = ({ snapshot, confirmedAt }: ConfirmedSnapshot) => {
    inStore = { snapshot, confirmedAt };
  };
  const save = (confirmed: ConfirmedSnapshot) => {
    kept.save(() => {
      isInStore(confirmed);
      return keptText(confirmed, place, clock, () => !isClosing);
    });
  };

  return {
    /** The ETag of the snapshot that `load` has begun to read. Stays open if there is none. */
    begun,
    /** The snapshot in the store, if it can be used. Never rejects. */
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
      // One without flags must not replace one with flags that could not be loaded, or not yet.
      if (mayHoldFlags && inStore === undefined && !hasFlags(known.snapshot)) return;
      newest = { ...known, confirmedAt: clock.now() };
      const keptForMs = kept.read().isFailing ? FAILED_SAVE_AGAIN_MS : CONFIRMATION_KEPT_EVERY_MS;
      const isKept =
        // Not its version: a tag that lies is the same for two snapshots.
        inStore?.snapshot === known.snapshot && newest.confirmedAt - inStore.confirmedAt < keptForMs;
      if (!isKept) save(newest);
    },
    /** Completes a save that is due. Never rejects. */
    flush: kept.flush,
    /** Completes pending saves. Never rejects. */
    async close() {
      isClosing = true;
      const isKept = newest?.confirmedAt === inStore?.confirmedAt && !kept.read().isFailing;
      if (newest !== undefined && !isKept) save(newest);
      await kept.close();
    },
    store: kept.read,
  };
}
