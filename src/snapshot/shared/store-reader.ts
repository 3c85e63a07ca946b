import type { SharedRecord } from '../../stores/snapshot-store.js';
import type { Fetched, Known } from '../fetch-snapshot.js';
import type { Snapshot } from '../snapshot.js';
import { readStored, type ConfirmedSnapshot } from '../stored-text.js';
import { NO_NEWS, type Found, type SharedParts, type Stored } from './learned.js';

/** Soon, because what an instance waits for is under way: a first snapshot, or the text of a new record. */
const LOOK_AGAIN_MS = 500;
/** The longest that fetching a snapshot, or reading one from a slow store, may take. */
const LONGEST_WAIT_MS = 60_000;

type NotYet = 'late' | 'outdated';

/** Reads from the store what another instance has written. */
export function storeReader({ calls, lease, learned, cost, place, pollMs, clock }: SharedParts) {
  let waitsSince: number | undefined;

  /**
   * The snapshot that belongs to a record. `late`: its text is still on its way. `outdated`: the store has no text, or
   * that of another record, as a replica has that lags. `undefined`: the text cannot be loaded or used, which is reported.
   */
  const textOf = async (
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

  /** The snapshot of the record; `undefined` if it is no news, or cannot be used. */
  const load = async (
    known: Known | undefined,
    found: Found,
  ): Promise<Stored | NotYet | 'overtaken' | undefined> => {
    const { record } = found.turn;
    if (record === undefined || !learned.isNews(known, found)) return undefined;
    const read = await textOf(record, known?.snapshot);
    if (read === undefined || typeof read === 'string') return read;
    // While the text was on its way, the service may have answered another look.
    if (!learned.isNews(known, found)) return 'overtaken';
    if (lease.current().fence === undefined) cost.written(record.fullBodyMs);
    waitsSince = undefined;
    return learned.fromStore(read, record, found.at);
  };

  /** Looks again soon; for a text that the store does not have yet, less and less often. Not forever. */
  const wait = (why?: NotYet): Fetched | undefined => {
    const now = clock.now();
    waitsSince ??= now;
    const waitedMs = now - waitsSince;
    if (waitedMs < LONGEST_WAIT_MS) {
      const againInMs = why === 'outdated' ? Math.max(LOOK_AGAIN_MS, waitedMs) : LOOK_AGAIN_MS;
      return { kind: 'no-news', againInMs: Math.min(pollMs, againInMs) };
    }
    if (why !== undefined) calls.complain('the snapshot of its record does not come');
    return undefined;
  };

  return {
    load,
    /** `undefined`: the store has nothing to wait for, or to use, so that this instance asks the service. */
    async read(known: Known | undefined, found: Found): Promise<Fetched | undefined> {
      const { record } = found.turn;
      if (record === undefined) return known === undefined ? wait() : NO_NEWS;
      if (learned.isTaken(record)) return NO_NEWS;
      if (learned.isKnown(known, record)) {
        cost.written(record.fullBodyMs);
        waitsSince = undefined;
        return learned.confirmedBy(record, found.at);
      }
      if (!learned.isNews(known, found)) return NO_NEWS;
      const loaded = await load(known, found);
      if (loaded === 'overtaken') return NO_NEWS;
      return typeof loaded === 'string' ? wait(loaded) : loaded;
    },
  };
}
