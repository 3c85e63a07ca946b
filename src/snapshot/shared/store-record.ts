import type { Clock } from '../../time/clock.js';
import type { SharedRecord, SnapshotPlace } from '../../stores/snapshot-store.js';
import { digestOf } from '../flag-content.js';
import type { Known } from '../fetch-snapshot.js';
import type { Snapshot } from '../snapshot.js';
import { readStored, type ConfirmedSnapshot } from '../stored-text.js';
import type { StoreCalls } from './store-calls.js';

/**
 * The snapshot that belongs to a record. `late`: its text is still on its way. `outdated`: the store has no text, or that
 * of another record, as a replica has that lags. `undefined`: the text cannot be loaded or used, which is reported.
 */
export function recordTexts(calls: StoreCalls, place: SnapshotPlace, clock: Clock) {
  return async (
    { version }: SharedRecord,
    previous: Snapshot | undefined,
  ): Promise<ConfirmedSnapshot | NotYet | undefined> => {
    const loaded = await calls.load();
    if (loaded === undefined || loaded === 'late') return loaded;
    if (loaded.text === undefined) return 'outdated';
    const read = await readStored(loaded.text, place, clock, { previous });
    if ('wrong' in read) {
      calls.complain(read.wrong);
      return undefined;
    }
    // Older versions of this package write no record into the text.
    return read.record === undefined || read.record === version ? read : 'outdated';
  };
}

export type NotYet = 'late' | 'outdated';

/**
 * The version of a snapshot in the store's record. It is the same in all instances with this snapshot, whether it came
 * from the service or from the store. It leaves out the ETag: with replicas whose tags alternate, all instances would
 * load the same snapshot again after each poll.
 */
export function recordVersions(): (known: Pick<Known, 'snapshot'>) => string {
  // Kept, because each poll needs it, and the digest of 10,000 flags blocks the event loop for 10 ms.
  const digests = new WeakMap<Snapshot, string>();
  return ({ snapshot }) => {
    const digest = digests.get(snapshot) ?? digestOf(snapshot.contents);
    digests.set(snapshot, digest);
    return `${digest} ${snapshot.semantics}`;
  };
}
