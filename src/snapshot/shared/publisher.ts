import type { SharedTurn } from '../../stores/snapshot-store.js';
import type { Known } from '../fetch-snapshot.js';
import { storedText } from '../stored-text.js';
import { left, NEWCOMER } from './lease.js';
import { recordVersion, type SharedParts, type StoreReader } from './store-reader.js';

/** A turn with the lease. */
export interface HeldTurn extends SharedTurn {
  readonly fence: number;
}

/** Writes what the holder of the lease has fetched into the store, one snapshot after another. */
export function publisher(reader: StoreReader, { calls, lease, cost, place, pollMs, clock }: SharedParts) {
  let publishing: Promise<void> = Promise.resolve();

  /** The turn was taken before the service was asked. So its time, which the record gets, is never too late. */
  const publish = async (newest: Known, { fence, record, time }: HeldTurn): Promise<void> => {
    const version = recordVersion(newest.snapshot);
    const publication = { fence, version, confirmedAt: time, fullBodyMs: cost.read().ms };
    const at = clock.now();
    const whole = async () => {
      const confirmed = { ...newest, confirmedAt: at, record: version };
      return calls.publish({ ...publication, text: await storedText(confirmed, place, clock) });
    };
    const isThere = record?.version === version;
    const first = isThere ? await calls.publish({ ...publication, text: undefined }) : await whole();
    const outcome = first === 'missing' ? await whole() : first;
    if (outcome === 'published') reader.published(publication);
    else if (lease.current().fence === fence)
      lease.become(outcome === undefined ? left(pollMs, clock.now()) : NEWCOMER);
    // An instance that cannot write must not keep others from writing.
    if (outcome === undefined) await calls.release();
  };

  return {
    /** In the background. Without one, a call must not end before its writes, and waits for no other call's. */
    async add(newest: Known, turn: HeldTurn): Promise<void> {
      const written = (after: Promise<void>) => after.then(() => publish(newest, turn)).catch(calls.complain);
      // After the last one, because a request may have been sent beside another.
      if (clock.hasBackground) publishing = written(publishing);
      else await written(Promise.resolve());
    },
    /** Resolves when what was added in the background is written. Never rejects. */
    ended: () => publishing,
  };
}
