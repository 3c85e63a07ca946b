import type { CircuitState, Problem, StreamState, WatchCondition } from '../model/events/flipt-event.js';
import type { Semantics } from '../engine/features.js';
import type { FailureKind } from '../model/failure.js';

/**
 * What `getStatus()` returns, in plain JSON: dates in ISO 8601, `…Ms` in milliseconds, `null` for what is not known.
 * Counts begin when the provider is created, and go on over a close.
 */
export interface FliptStatus {
  /** As in OpenFeature. Also after PROVIDER_FATAL it is `error`. */
  readonly condition: 'not-started' | 'starting' | 'ready' | 'stale' | 'error' | 'closed';
  /** When the condition last changed. */
  readonly since: string;
  /** Why the condition is `stale` or `error`. The text can quote a gateway's response. */
  readonly why: string | null;
  /** The worst first. */
  readonly problems: readonly Problem[];
  readonly namespace: string;
  readonly environment: string | null;
  /** As Flipt writes it. Only an instance that polls the snapshot itself asks for it. */
  readonly fliptVersion: string | null;
  /** The option `evaluation`. */
  readonly evaluation: 'remote' | 'in-process';
  /** `null` with `breaker: false`, and after the close. */
  readonly circuit: CircuitStatus | null;
  readonly overload: OverloadStatus;
  /** `null` if the options allow no snapshot, and after the close. */
  readonly watch: WatchStatus | null;
  /** `null` without `snapshot.file` and `snapshot.store`, before the start and after the close. */
  readonly store: StoreStatus | null;
  readonly cache: CacheStatus;
  readonly requests: RequestStatus;
  /** `null` without the option `tracking`. */
  readonly tracking: TrackingStatus | null;
}

/** Numbers of tracking events. */
export interface TrackingStatus {
  /** Whether the last call of `tracking.send` has failed. */
  readonly isFailing: boolean;
  /** At present, with those that are being sent. */
  readonly waiting: number;
  /** Accepted by `tracking.send`. */
  readonly sent: number;
  readonly lost: number;
}

export interface CircuitStatus {
  /** While it is `open`, only health checks are sent, and no evaluations. */
  readonly state: CircuitState;
  /** When the state last changed. */
  readonly since: string | null;
}

/** Whether Flipt answers fast enough for the number of questions. */
export interface OverloadStatus {
  /** `null` while Flipt keeps up. */
  readonly since: string | null;
  /** How many questions (each a flag and a context) were never sent. */
  readonly shed: number;
}

/** The snapshot, and how the provider sees changes in Flipt. */
export interface WatchStatus {
  /** `stream`: polls, and the stream of changes where Flipt offers one. `off`: neither. */
  readonly mode: 'off' | 'poll' | 'stream';
  /** `null` as long as no poll has shown it. */
  readonly condition: WatchCondition | null;
  /** The snapshot's. */
  readonly version: string | null;
  /** The rules that apply to the snapshot: of Flipt v1 (`v1`), 2.0 to 2.8 (`v2.8`), or 2.9 and newer (`v2`). */
  readonly semantics: Semantics | null;
  /** How many flags the snapshot has. */
  readonly flags: number | null;
  /** Flipt is asked for these flags, if the options allow requests. */
  readonly unreadable: UnreadableStatus;
  /** When Flipt last confirmed the snapshot. */
  readonly confirmedAt: string | null;
  /** Since Flipt last confirmed the snapshot. */
  readonly ageMs: number | null;
  /** `null` while a poll is under way, and if none will come. */
  readonly nextPollAt: string | null;
  /**
   * Every instance with these options sees a change within this time, as long as Flipt answers polls: the present
   * interval plus 20 %, twice as much with a shared store.
   */
  readonly seenWithinMs: number | null;
  /** `null` until the first news of the stream. */
  readonly stream: StreamState | null;
  /** With a shared store, polls of other instances can count, too. */
  readonly polls: number;
  readonly failedPolls: number;
  /** A flag that changes twice counts twice. */
  readonly changedFlags: number;
}

/** Flags that this version of the package cannot read: a newer Flipt may have written them. */
export interface UnreadableStatus {
  readonly count: number;
  /** The first 20. */
  readonly flags: readonly {
    readonly key: string;
    /** The place in the flag, what was expected there, and what was found. */
    readonly reason: string;
  }[];
}

/** The store of `snapshot.file` or `snapshot.store`. */
export interface StoreStatus {
  /** The provider goes on without a store that fails. */
  readonly isFailing: boolean;
  /** When the last snapshot was saved since the start. */
  readonly savedAt: string | null;
}

/** What the cache of answers holds, and counts of its look-ups. */
export interface CacheStatus {
  readonly entries: number;
  /** As `cache.maxBytes` counts them. */
  readonly bytes: number;
  readonly hits: number;
  /** The caller got a stale answer at once, and it was refreshed in the background. */
  readonly staleHits: number;
  /** The caller waited for a request that was already under way for the same question. */
  readonly joined: number;
  /** Flipt was asked. */
  readonly misses: number;
}

/** Numbers of HTTP requests to Flipt: with retries, health checks, polls and logins, without the stream of changes. */
export interface RequestStatus {
  /** With those under way. */
  readonly sent: number;
  /** By kind, without kinds that never occurred and failed requests for Flipt's version. */
  readonly failed: Readonly<Partial<Record<FailureKind, number>>>;
  readonly retried: number;
  /** Requests at present. */
  readonly inFlight: number;
  /** Questions that wait to be sent at present. */
  readonly waiting: number;
}
