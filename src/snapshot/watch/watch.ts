import type { FetchSnapshot, Known } from '../fetch-snapshot.js';
import type { Snapshot } from '../snapshot.js';
import type { Asker } from '../tag-trust.js';

/**
 * A saved snapshot, or the snapshot of the option `snapshot.initial`, that the provider can use until a poll has
 * brought a snapshot.
 */
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
  /**
   * The usual number of milliseconds between two polls, on average, or Infinity if the watch never polls the service.
   */
  readonly pollMs: number;
  /**
   * If a request has been under way for this many milliseconds, `poll` no longer waits for the end of that request, but
   * usually sends another request.
   */
  readonly patienceMs: number;
  /**
   * The milliseconds from the start of the watch to the first scheduled poll. The default is 0: the first poll comes at
   * once.
   */
  readonly firstPollMs?: number | undefined;
  /**
   * Whether one instance polls the service for many instances, so that a poll of any other instance usually only reads
   * the store. By default, each instance polls for itself.
   */
  readonly isShared?: boolean | undefined;
  /**
   * The snapshot that is in force until a poll has brought a snapshot. By default, no snapshot is in force at first.
   */
  readonly starting?: StartingSnapshot | undefined;
  /**
   * Returns whether the watch has to report which flags have changed. By default, the watch always reports which flags
   * have changed.
   */
  readonly isCompared?: (() => boolean) | undefined;
  /** The watch calls this function with the snapshot in force after each successful poll. */
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
   * the last successful poll is recent enough, or if the watch never polls, the result is negative. If the watch polls,
   * but no time of a success is known, the result is Infinity.
   */
  readonly lostForMs: (now?: number) => number;
  /**
   * Returns the milliseconds within which each instance sees a change, if the polls are punctual and Flipt answers each
   * of them correctly. Returns Infinity if the watch never polls the service.
   */
  readonly seenWithinMs: () => number;
  /**
   * Returns the reason why the provider might see a change much later than `pollMs` after it was made, or `undefined`
   * if punctual polls find each change in time.
   */
  readonly lateBecause: () => string | undefined;
}

/**
 * Polls the service for changes, and holds the snapshot in force. If there is a starting snapshot, it is in force until
 * a poll has brought a snapshot.
 */
export interface Watch extends Reliability {
  /** Returns the snapshot in force, or `undefined` before the first snapshot. */
  readonly snapshot: () => Snapshot | undefined;
  /** If the last successful poll is too long ago, reports that the state of the watch is `lost`. */
  readonly assess: () => void;
  /**
   * Returns the time at which the next scheduled poll is due, in milliseconds since the epoch. Returns `undefined` if
   * no further poll comes, and usually also while a poll is under way.
   */
  readonly nextPollAt: () => number | undefined;
  /**
   * Returns whether the next poll is due, and the service has not asked for a pause that still lasts. While a poll is
   * under way, the result has no meaning.
   */
  readonly isDue: () => boolean;
  /**
   * Returns the milliseconds until a poll can fetch a change that the stream has announced. The result is usually
   * random, so that not all instances fetch the change at the same time. The result is 0 if one instance polls for many
   * instances, because most polls then only read the store.
   */
  readonly sparesForMs: () => number;
  /**
   * Sends the first request now if no request has been sent yet. The promise resolves when the first request has ended.
   * The promise never rejects.
   */
  readonly pollFirst: () => Promise<void>;
  /**
   * Polls before the interval is over, and does not wait for the end of a request that has been under way for too long.
   * The promise resolves when a request that began after this call has ended, or at once if the service has asked for a
   * pause. The promise never rejects.
   */
  readonly poll: (asker?: Asker) => Promise<void>;
  /**
   * To be called if the search for a starting snapshot has ended only after the watch was opened. `late` is the
   * snapshot that was found, if any. `adopt` puts `late` into force if the watch still needs it. The promise never
   * rejects.
   */
  readonly adopt: (late: StartingSnapshot | undefined) => Promise<void>;
  /**
   * Polls if a poll is due, and waits for a poll that is due or under way. The promise never rejects.
   */
  readonly refresh: () => Promise<void>;
  /** Ends the watch. After `close`, the response to a request that is under way has no effect. */
  readonly close: () => void;
}
