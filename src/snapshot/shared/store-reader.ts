import type { SharedRecord, SnapshotPlace } from '../../options/snapshot-store.js';
import type { Clock } from '../../base/time/clock.js';
import { knownOf, type Fetched, type Known, type Served } from '../fetch-snapshot.js';
import { NO_COST } from '../poll-cost.js';
import { LONGEST_FETCH_MS } from '../silence.js';
import { hasFlags, type Snapshot } from '../snapshot.js';
import { readKept, type ConfirmedSnapshot } from '../kept-text.js';
import type { HeldLease } from './lease.js';
import type { StoreCalls } from './store-calls.js';

/**
 * An instance that waits for the first snapshot, or for the text of a new record, usually looks into the store again
 * after this many milliseconds.
 */
const LOOK_AGAIN_MS = 500;

export const NO_NEWS = { kind: 'no-news' } as const;

/** The parts that both the code that reads from the store and the code that writes into the store need. */
export interface SharedParts {
  readonly calls: StoreCalls;
  readonly lease: HeldLease;
  readonly place: SnapshotPlace;
  readonly clock: Clock;
}

/** A record that this instance has found in the store. */
interface Found {
  readonly record: SharedRecord;
  /**
   * The time at which the service served or confirmed the content of the record, in milliseconds of `clock.now()`. The
   * time is an estimate, and usually a little too early.
   */
  readonly at: number;
}

/** What this instance knows about its newest snapshot. All times are milliseconds of the clock's `now`. */
interface Newest {
  /** The version of the newest snapshot, which is compared with the version in the store's record. */
  readonly version: string | undefined;
  /**
   * The newest snapshot. The newest snapshot may not be in force yet, because the poll that has loaded it from the
   * store may still wait for the service.
   */
  readonly snapshot: Snapshot | undefined;
  /**
   * The time at which the service served or confirmed the snapshot, or negative infinity for the snapshot from the
   * start. If a record in the store has an earlier time than the newest snapshot, the record may belong to an older
   * snapshot.
   */
  readonly at: number;
}

type NotYet = 'late' | 'outdated';

/**
 * Makes the functions that read from the store what other instances have written. If the service has confirmed a
 * snapshot in the store earlier than the newest snapshot of this instance, the functions do not return the snapshot in
 * the store.
 */
export function storeReader(parts: SharedParts, pollMs: number) {
  const { calls, clock } = parts;
  let newest: Newest | undefined;
  let confirmedAt = -Infinity;
  /**
   * The last record of the store that this instance has used or written. While the store still has the record in
   * `taken`, the store holds nothing new for this instance, whatever the store's clock says.
   */
  let taken: SharedRecord | undefined;
  const patience = limitedPatience(pollMs, parts);

  const isKnown = (known: Known | undefined, { version }: SharedRecord) =>
    version === newest?.version && known?.snapshot === newest.snapshot;
  const isNews = (known: Known | undefined, { record, at }: Found) =>
    !isKnown(known, record) && at >= (newest?.at ?? -Infinity);
  const take = (record: SharedRecord) => {
    taken = record;
    patience.over();
  };

  /**
   * Loads the snapshot of a record. The result is `undefined` if the record has no newer snapshot than this instance,
   * or if the snapshot of the record cannot be used.
   */
  const load = async (
    known: Known | undefined,
    found: Found | undefined,
  ): Promise<Served | NotYet | 'overtaken' | undefined> => {
    if (found === undefined || !isNews(known, found)) return undefined;
    const { record, at } = found;
    const read = await textOfRecord(record, parts);
    if (read === undefined || typeof read === 'string') return read;
    // If the snapshot in the store has no flags but the known snapshot has some, this instance asks the service itself,
    // because the instance that wrote the record may never have had any flags.
    if (known !== undefined && hasFlags(known.snapshot) && !hasFlags(read.snapshot)) return undefined;
    // While the text was being loaded, the service may have answered another request of this instance.
    if (!isNews(known, found)) return 'overtaken';
    take(record);
    const { snapshot, etag } = read;
    newest = { version: record.version, snapshot, at };
    confirmedAt = Math.max(confirmedAt, at);
    calls.praise();
    return { kind: 'snapshot', snapshot, etag, confirmedAt: at, cost: NO_COST };
  };

  return {
    /**
     * To be called with the snapshot in force before this instance first looks into the store. Each record in the store
     * that names another version counts as newer than this snapshot.
     */
    async startsWith(known: Known | undefined) {
      const starting = newest ?? { ...(await versioned(known, clock)), at: -Infinity };
      newest ??= starting;
    },
    /** To be called when the service has just served or confirmed this snapshot. */
    async fromService(served: Known) {
      const at = clock.now();
      confirmedAt = Math.max(confirmedAt, at);
      const from = { ...(await versioned(served, clock)), at };
      // While the version was being computed, the service may have answered a newer request of this instance.
      if (at >= (newest?.at ?? -Infinity)) newest = from;
    },
    /** To be called when this instance has written this record into the store. */
    published: (record: SharedRecord) => {
      taken = record;
      calls.praise();
    },
    load,
    /**
     * Returns the result of a poll that has found this record in the store. The result is `undefined` if the store has
     * nothing to use or to wait for, so that this instance has to ask the service.
     */
    async read(known: Known | undefined, found: Found | undefined): Promise<Fetched | undefined> {
      if (found === undefined) return known === undefined ? patience.wait() : NO_NEWS;
      const { record, at } = found;
      if (record.version === taken?.version && record.confirmedAt === taken.confirmedAt) return NO_NEWS;
      if (known !== undefined && isKnown(known, record)) {
        take(record);
        if (at <= confirmedAt) return NO_NEWS;
        calls.praise();
        confirmedAt = at;
        return { ...knownOf(known), kind: 'unchanged', confirmedAt, cost: NO_COST };
      }
      if (!isNews(known, found)) return NO_NEWS;
      const loaded = await load(known, found);
      if (loaded === 'overtaken') return NO_NEWS;
      return typeof loaded === 'string' ? patience.wait(loaded) : loaded;
    },
  };
}

/**
 * Decides when an instance looks into the store again while it waits for a snapshot. An instance usually looks into the
 * store again after half a second. If the store has the text of an older record, the instance looks into the store less
 * and less often. After a minute, the instance stops waiting.
 */
function limitedPatience(pollMs: number, { calls, clock }: SharedParts) {
  let waitsSince: number | undefined;
  return {
    /**
     * Returns an outcome that says when to look into the store again, or `undefined` if the instance has waited for too
     * long.
     */
    wait(why?: NotYet): Fetched | undefined {
      const now = clock.now();
      waitsSince ??= now;
      const waitedMs = now - waitsSince;
      if (waitedMs < LONGEST_FETCH_MS) {
        const againInMs = why === 'outdated' ? Math.max(LOOK_AGAIN_MS, waitedMs) : LOOK_AGAIN_MS;
        return { kind: 'no-news', againInMs: Math.min(pollMs, againInMs) };
      }
      if (why !== undefined) calls.complain('the snapshot of its record does not come');
      return undefined;
    },
    over: () => {
      waitsSince = undefined;
    },
  };
}

/**
 * Loads the snapshot that belongs to a record. The result is `late` if loading the text has not ended in time. The
 * result is `outdated` if the store has no text or the text of another record, which can happen if a replica of the
 * store lags behind. If the text cannot be loaded or used, the function warns the user and returns `undefined`.
 */
async function textOfRecord(
  { version }: SharedRecord,
  { calls, place, clock }: SharedParts,
): Promise<ConfirmedSnapshot | NotYet | undefined> {
  const loaded = await calls.load();
  if (loaded === undefined || loaded === 'late') return loaded;
  if (loaded.text === undefined) return 'outdated';
  const read = await readKept(loaded.text, place, clock);
  if ('wrong' in read) {
    calls.complain(read.wrong);
    return undefined;
  }
  // Older versions of this package do not write into the text to which record the text belongs. The function assumes
  // that a text without the name of a record belongs to the record that it has looked for.
  return read.record === undefined || read.record === version ? read : 'outdated';
}

async function versioned(known: Known | undefined, clock: Clock) {
  return { version: known && (await recordVersion(known.snapshot, clock)), snapshot: known?.snapshot };
}

/**
 * Returns the version that the store's record gets for a snapshot. The version is the same in all instances that have
 * this snapshot, whether it came from the service or from the store. The version does not depend on the ETag. If the
 * version depended on the ETag, and the ETags of Flipt's replicas alternated, all instances would load the same
 * snapshot again after each poll.
 */
export async function recordVersion({ flags, semantics }: Snapshot, clock: Clock): Promise<string> {
  return `${await flags.digest(clock)} ${semantics}`;
}
