import type { FetchSnapshot, Known } from '../fetch-snapshot.js';
import type { Snapshot } from '../snapshot.js';
import type { Asker } from '../tag-trust.js';

/** A snapshot to start from. */
export interface StartingSnapshot extends Known {
  /** In the clock's milliseconds; `undefined` if the service has never confirmed it. */
  readonly confirmedAt: number | undefined;
}

export interface WatchSettings {
  /** `undefined`: the service is never asked. */
  readonly fetch: FetchSnapshot | undefined;
  /** Milliseconds between two polls, on average; infinite if the service is never asked. */
  readonly pollMs: number;
  /** After so many milliseconds, `poll` no longer waits for the request under way. */
  readonly patienceMs: number;
  /** Whether the first poll may come at any time in the interval. Default: it comes at once. */
  readonly isPatient?: boolean | undefined;
  /** Whether one instance polls the service for many. Then a poll usually reads only the store. Default: no. */
  readonly isShared?: boolean | undefined;
  /** In force until the service serves a snapshot. Default: none. */
  readonly starting?: StartingSnapshot | undefined;
  /** Whether somebody has to learn which flags have changed. Default: yes. */
  readonly isCompared?: (() => boolean) | undefined;
  /** Called when the service has just served the snapshot in force, or said that it is unchanged. */
  readonly confirmed?: ((known: Known) => void) | undefined;
}

/** How far the snapshot in force can be relied on. */
export interface Reliability {
  /** When the service last confirmed the snapshot, in the clock's milliseconds; `undefined` if it never has. */
  readonly confirmedAt: () => number | undefined;
  /** Milliseconds since then, until `now` of the clock; infinite if it never has. */
  readonly ageMs: (now?: number) => number;
  /** For how many milliseconds a change might have gone unnoticed; negative while a change would be noticed. */
  readonly lostForMs: (now?: number) => number;
  /** Milliseconds within which each instance sees a change; infinite if the service is never asked. */
  readonly seenWithinMs: () => number;
  /** Why that is much longer than `pollMs`; `undefined` if it is not. */
  readonly lateBecause: () => string | undefined;
}

/** The snapshot in force: the service's, or until there is one, the one that it started with. Knows how reliable it is. */
export interface Watch extends Reliability {
  /** `undefined` before the first. */
  readonly snapshot: () => Snapshot | undefined;
  /** Reports that the last success has become too old, if it has. */
  readonly assess: () => void;
  /** When the next poll is due, in milliseconds since the epoch; `undefined` while one is under way, or if none comes. */
  readonly nextPollAt: () => number | undefined;
  /** Whether the interval is over, and the service has asked for no pause. */
  readonly isDue: () => boolean;
  /**
   * Milliseconds until a poll that the stream asks for may begin; different in each instance. If one instance polls for
   * many, a poll usually reads only the store.
   */
  readonly sparesForMs: () => number;
  /**
   * Polls without waiting for the interval, nor for a request that has been silent for too long. Resolves when a request
   * has ended that began after this call, or at once if the service has asked for a pause. Never rejects.
   */
  readonly poll: (asker?: Asker) => Promise<void>;
  /** Takes a kept snapshot that was loaded late, unless it is not needed any more. Never rejects. */
  readonly adopt: (late: StartingSnapshot | undefined) => Promise<void>;
  /** Polls if that is due and no poll is under way. `signal` ends the poll of this call alone. Never rejects. */
  readonly refresh: (signal?: AbortSignal) => Promise<void>;
  /** Ends the watch. A request under way has no effect any more. */
  readonly close: () => void;
}
