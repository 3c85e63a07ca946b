import type { Clock } from '../../clock.js';
import type { SharedRecord, SnapshotPlace } from '../../options/snapshot-options.js';
import type { Snapshot } from '../snapshot.js';
import { readStored, type ConfirmedSnapshot } from '../snapshot-text.js';
import type { StoreCalls } from './store-calls.js';

/**
 * The snapshot that belongs to a record. `late`: its text is still on its way. `outdated`: the store has no text, or that
 * of another record, as a replica has that lags. `undefined`: the text cannot be loaded or used, which is reported.
 */
export type ReadRecordText = (
  record: SharedRecord,
  previous: Snapshot | undefined,
) => Promise<ConfirmedSnapshot | NotYet | undefined>;

export type NotYet = 'late' | 'outdated';

export function recordTexts(calls: StoreCalls, place: SnapshotPlace, clock: Clock): ReadRecordText {
  return async ({ version }, previous) => {
    const loaded = await calls.load();
    if (loaded === undefined || loaded === 'late') return loaded;
    if (loaded.text === undefined) return 'outdated';
    const read = await readStored(loaded.text, place, clock, previous);
    if ('wrong' in read) {
      calls.complain(read.wrong);
      return undefined;
    }
    // Older versions of this package write no record into the text.
    return read.record === undefined || read.record === version ? read : 'outdated';
  };
}
