import type { FetchSnapshot, Known } from '../fetch-snapshot.js';
import type { Snapshot } from '../snapshot.js';
import type { Asker } from '../tag-trust.js';

/** A saved or given snapshot that is in force until Flipt has served a snapshot. */
export interface StartingSnapshot extends Known {
  /**
   * The time at which the service last confirmed the snapshot, in milliseconds of `clock.now()`. `confirmedAt` is
   * `undefined` if that time is not known.
   */
  readonly confirmedAt: number | undefined;
}

export interface WatchSettings {
  /** Requests the snapshot. If `fetch` is `undefined`, the watch never polls the service. */
  readonly fetch: FetchSnapshot | undefined;
  /** The average number of milliseconds between two polls, or Infinity if the watch never polls the service. */
  readonly pollMs: number;
  /**
   * If a request has been under way for this many milliseconds, `poll` no longer waits for the end of that request, but
   * sends another request. If nothing can run between calls, `patienceMs` has no effect.
   */
  readonly patienceMs: number;
  /** Whether the first poll comes at a random time in the first interval. By default, the first poll comes at once. */
  readonly isPatient?: boolean | undefined;
  /**
   * Whether one instance polls the service for many instances, so that a poll of this watch usually only reads the
   * store. By default, each instance polls for itself.
   */
  readonly isShared?: boolean | undefined;
  /**
   * The snapshot that is in force until the service has served a snapshot. By default, no snapshot is in force until
   * the service has served one.
   */
  readonly starting?: StartingSnapshot | undefined;
  /**
   * Returns whether the watch has to report which flags have changed. By default, the watch always reports which flags
   * have changed.
   */
  readonly isCompared?: (() => boolean) | undefined;
  /**
   * The watch calls this function when the service has just served the snapshot in force, or has answered that this
   * snapshot is unchanged.
   */
  readonly confirmed?: ((known: Known) => void) | undefined;
}

/**
 * The functions that tell how recently the service has confirmed the snapshot in force, and how soon the provider sees
 * changes.
 */
export interface Reliability {
  /**
   * Returns the time at which the service last confirmed the snapshot, in milliseconds of `clock.now()`. Returns
   * `undefined` if that time is not known.
   */
  readonly confirmedAt: () => number | undefined;
  /**
   * Returns the milliseconds from the time at which the service last confirmed the snapshot until `now`, which is the
   * clock's present time by default. Returns Infinity if the time of the confirmation is not known.
   */
  readonly ageMs: (now?: number) => number;
  /**
   * Returns the milliseconds for which the last successful poll has been too old to rely on the snapshot. As long as
   * the last successful poll is recent enough, the result is negative.
   */
  readonly lostForMs: (now?: number) => number;
  /**
   * Returns the milliseconds within which each instance sees a change, if the polls are punctual and the service
   * answers them. Returns Infinity if the watch never polls the service.
   */
  readonly seenWithinMs: () => number;
  /**
   * Returns the reason why the provider sees changes much later than `pollMs` promises, or `undefined` if it sees
   * changes in time.
   */
  readonly lateBecause: () => string | undefined;
}

/**
 * Polls the service for changes, and holds the snapshot in force. Until the service has served a snapshot, the starting
 * snapshot is in force.
 */
export interface Watch extends Reliability {
  /** Returns the snapshot in force, or `undefined` before the first snapshot. */
  readonly snapshot: () => Snapshot | undefined;
  /** If the last successful poll is too long ago, reports that the state of the watch is `lost`. */
  readonly assess: () => void;
  /**
   * Returns the time at which the next poll is due, in milliseconds since the epoch. Returns `undefined` if no further
   * poll comes, and usually also while a poll in the background is under way.
   */
  readonly nextPollAt: () => number | undefined;
  /**
   * Returns whether the next poll is due and the service has not asked for a pause. While a poll is under way, the
   * result has no meaning.
   */
  readonly isDue: () => boolean;
  /**
   * Returns the milliseconds until a poll can fetch a change that the stream has announced. The result is random, so
   * that not all instances fetch the change at the same time. The result is 0 if one instance polls for many instances,
   * because most polls then only read the store. The result is also 0 if nothing can run between calls, because the
   * provider then opens no stream.
   */
  readonly sparesForMs: () => number;
  /**
   * Polls before the interval is over, and does not wait for the end of a request that has had no response for too
   * long. The promise resolves when a request that began after this call has ended, or at once if the service has asked
   * for a pause. If nothing can run between calls, `poll` only makes the next call of `refresh` poll, and the promise
   * resolves at once. The promise never rejects.
   */
  readonly poll: (asker?: Asker) => Promise<void>;
  /**
   * To be called when the saved snapshot of an earlier run was loaded late. `adopt` puts this snapshot into force if
   * the watch still needs it. The promise never rejects.
   */
  readonly adopt: (late: StartingSnapshot | undefined) => Promise<void>;
  /**
   * Polls if a poll is due and no poll is under way. `signal` is the signal that ends the poll of this call. The
   * promise never rejects.
   */
  readonly refresh: (signal?: AbortSignal) => Promise<void>;
  /** Ends the watch. After `close`, the response to a request that is under way has no effect. */
  readonly close: () => void;
}
