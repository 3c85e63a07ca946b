import type { SharedRecord, SharedTurn, SnapshotPlace } from '../../stores/snapshot-store.js';
import type { Clock } from '../../time/clock.js';
import type { BodyCost } from '../body-cost.js';
import type { Fetched, Known } from '../fetch-snapshot.js';
import { digestOf } from '../flag-content.js';
import type { Snapshot } from '../snapshot.js';
import type { ConfirmedSnapshot } from '../stored-text.js';
import type { HeldLease } from './lease.js';
import type { StoreCalls } from './store-calls.js';

/** What this instance knows about the snapshot in force. Times are milliseconds of the clock's `now`. */
interface Newest {
  /** To compare with the version of the store's record. */
  readonly version: string | undefined;
  /** May be newer than the watch's: the look that has found it may still wait for the service. */
  readonly snapshot: Snapshot | undefined;
  /** When the service served or confirmed the snapshot. A record of an earlier time may hold an older one. */
  readonly at: number;
}

/** What a look at the store has found. */
export interface Found {
  readonly turn: SharedTurn;
  /** When the service served or confirmed what the record holds. -Infinity: there is no record. */
  readonly at: number;
}

/** A snapshot that another instance has fetched. */
export type Stored = Extract<Fetched, { readonly kind: 'snapshot' }>;

export type Learned = ReturnType<typeof openLearned>;

/** What reading from the store and writing to it share. */
export interface SharedParts {
  readonly calls: StoreCalls;
  readonly lease: HeldLease;
  readonly learned: Learned;
  readonly cost: BodyCost;
  readonly place: SnapshotPlace;
  readonly pollMs: number;
  readonly clock: Clock;
}

export const NO_NEWS = { kind: 'no-news' } as const;

/** What this instance has learned from the service and from the store. It never goes back to an older snapshot. */
export function openLearned(cost: BodyCost, praise: () => void) {
  const versionOf = recordVersions();
  let newest: Newest | undefined;
  let confirmedAt = -Infinity;
  /** How long a poll may be silent, before this instance has measured it. */
  let fullBodyMs = 0;
  /** The last record that was taken over. Seen again, it is no news, whatever the store's clock says. */
  let taken: SharedRecord | undefined;

  const isKnown = (known: Known | undefined, { version }: SharedRecord) =>
    version === newest?.version && known?.snapshot === newest.snapshot;
  const take = (record: SharedRecord) => {
    taken = record;
    fullBodyMs = record.fullBodyMs || fullBodyMs;
  };

  return {
    versionOf,
    /** A kept snapshot came from the store, or is as good as the store's. */
    startsWith(known: Known | undefined) {
      newest ??= { version: known && versionOf(known), snapshot: known?.snapshot, at: -Infinity };
      fullBodyMs ||= known?.fullBodyMs ?? 0;
    },
    fullBodyMs: () => fullBodyMs,
    /** The service has just served or confirmed this snapshot. */
    fromService(known: Known | undefined, now: number) {
      confirmedAt = now;
      newest = { version: known && versionOf(known), snapshot: known?.snapshot, at: now };
    },
    isKnown,
    isNews: (known: Known | undefined, { turn: { record }, at }: Found) =>
      record !== undefined && !isKnown(known, record) && (newest === undefined || at >= newest.at),
    isTaken: ({ version, confirmedAt: at }: SharedRecord) =>
      version === taken?.version && at === taken.confirmedAt,
    /** This instance has written the record. */
    published(record: SharedRecord) {
      taken = record;
      praise();
    },
    /** The record is of the known snapshot: the service has confirmed it to another instance. */
    confirmedBy(record: SharedRecord, at: number): Fetched {
      take(record);
      if (at <= confirmedAt) return NO_NEWS;
      praise();
      confirmedAt = at;
      return { kind: 'unchanged', confirmedAt: at, cost: cost.read() };
    },
    /** The snapshot of the record was loaded. */
    fromStore({ snapshot, etag }: ConfirmedSnapshot, record: SharedRecord, at: number): Stored {
      newest = { version: record.version, snapshot, at };
      confirmedAt = Math.max(confirmedAt, at);
      take(record);
      praise();
      return { kind: 'snapshot', snapshot, etag, fullBodyMs, confirmedAt: at, cost: cost.read() };
    },
  };
}

/**
 * The version of a snapshot in the store's record. It is the same in all instances with this snapshot, whether it came
 * from the service or from the store. It leaves out the ETag: with replicas whose tags alternate, all instances would
 * load the same snapshot again after each poll.
 */
function recordVersions(): (known: Pick<Known, 'snapshot'>) => string {
  // Kept, because each poll needs it, and the digest of 10,000 flags blocks the event loop for 10 ms.
  const digests = new WeakMap<Snapshot, string>();
  return ({ snapshot }) => {
    const digest = digests.get(snapshot) ?? digestOf(snapshot.contents);
    digests.set(snapshot, digest);
    return `${digest} ${snapshot.semantics}`;
  };
}
