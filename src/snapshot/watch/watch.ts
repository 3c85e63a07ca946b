import type { FetchSnapshot, Known } from '../fetch-snapshot.js';
import type { Snapshot } from '../snapshot.js';
import type { Asker } from '../tag-trust.js';

/** A snapshot to start from. */
export interface StartingSnapshot extends Known {
  /** When the service last confirmed the snapshot, in the clock's milliseconds, or `undefined` if it never has. */
  readonly confirmedAt: number | undefined;
}

export interface WatchSettings {
  /** Requests the snapshot. If `undefined`, the service is never asked. */
  readonly fetch: FetchSnapshot | undefined;
  /** The average milliseconds between two polls; infinite if the service is never asked. */
  readonly pollMs: number;
  /** After this many milliseconds, `poll` no longer waits for the request under way. */
  readonly patienceMs: number;
  /** Whether the first poll may come at any time in the interval. Default: the first poll comes at once. */
  readonly isPatient?: boolean | undefined;
  /**
   * Whether one instance polls the service for many, so that a poll usually only reads the store. Default: each
   * instance polls for itself.
   */
  readonly isShared?: boolean | undefined;
  /** The snapshot that is in force until the service serves one. Default: none. */
  readonly starting?: StartingSnapshot | undefined;
  /** Returns whether somebody has to learn which flags have changed. Default: always. */
  readonly isCompared?: (() => boolean) | undefined;
  /** Called when the service has just served the snapshot in force, or said that it is unchanged. */
  readonly confirmed?: ((known: Known) => void) | undefined;
}

/** Says how far you can rely on the snapshot in force. */
export interface Reliability {
  /**
   * Returns when the service last confirmed the snapshot, in the clock's milliseconds, or `undefined` if it never has.
   */
  readonly confirmedAt: () => number | undefined;
  /**
   * Returns the milliseconds from the last confirmation until `now`, by default of the clock. The result is infinite if
   * the service has never confirmed the snapshot.
   */
  readonly ageMs: (now?: number) => number;
  /**
   * Returns for how many milliseconds a change might have gone unnoticed. The result is negative as long as a change
   * would be noticed.
   */
  readonly lostForMs: (now?: number) => number;
  /** Returns the milliseconds within which each instance sees a change; infinite if the service is never asked. */
  readonly seenWithinMs: () => number;
  /** Returns why changes are seen much later than after `pollMs`, or `undefined` if they are not. */
  readonly lateBecause: () => string | undefined;
}

/**
 * Watches the service, and holds the snapshot in force. Until the service has served a snapshot, the starting snapshot
 * is in force.
 */
export interface Watch extends Reliability {
  /** Returns the snapshot in force, or `undefined` before the first one. */
  readonly snapshot: () => Snapshot | undefined;
  /** Reports that the watch is lost, if the last success has become too old. */
  readonly assess: () => void;
  /**
   * Returns when the next poll is due, in milliseconds since the epoch, or `undefined` while a poll is under way or if
   * none comes.
   */
  readonly nextPollAt: () => number | undefined;
  /** Returns whether the interval is over and the service has asked for no pause. */
  readonly isDue: () => boolean;
  /**
   * Returns the milliseconds until a poll that the stream asks for may begin, which differ between instances. The
   * result is 0 if one instance polls for many, because most polls then only read the store.
   */
  readonly sparesForMs: () => number;
  /**
   * Polls without waiting for the interval, and without waiting for a request that has been silent for too long. The
   * promise resolves when a request has ended that began after this call, or at once if the service has asked for a
   * pause. The promise never rejects.
   */
  readonly poll: (asker?: Asker) => Promise<void>;
  /** Takes over a kept snapshot that was loaded late, unless it is no longer needed. The promise never rejects. */
  readonly adopt: (late: StartingSnapshot | undefined) => Promise<void>;
  /**
   * Polls if a poll is due and none is under way. `signal` ends only the poll of this call. The promise never rejects.
   */
  readonly refresh: (signal?: AbortSignal) => Promise<void>;
  /** Ends the watch. A request that is under way no longer has any effect. */
  readonly close: () => void;
}
