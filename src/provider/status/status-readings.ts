import type { CacheSize } from '../../cache/answer-store.js';
import type { UnreadableFlag } from '../../model/unreadable-flag.js';
import type { OpenSnapshots } from '../../snapshot/open-snapshots.js';

/** The present values, read from the parts of a running provider. Dates are milliseconds since the epoch. */
export interface Readings {
  readonly overloadSince: number | undefined;
  /** `undefined` if there is never a snapshot. */
  readonly snapshot: SnapshotReading | undefined;
  readonly cache: CacheSize;
  /** Requests under way. */
  readonly inFlight: number;
  /** Questions that wait to be sent. */
  readonly waiting: number;
}

/** The snapshot in force; its members are `undefined` before the first. */
export interface SnapshotReading {
  readonly version: string | undefined;
  readonly flags: number | undefined;
  /** By key. */
  readonly unreadable: ReadonlyMap<string, UnreadableFlag> | undefined;
  readonly confirmedAt: number | undefined;
  readonly ageMs: number;
  readonly nextPollAt: number | undefined;
  readonly seenWithinMs: number | undefined;
  readonly store: ReturnType<OpenSnapshots['store']>;
}
