import type { CircuitState, Problem, StreamState, WatchCondition } from '../../model/events/flipt-event.js';
import type { Semantics } from '../../engine/features.js';
import type { FailureKind } from '../../model/failure.js';

/**
 * The provider's state in plain JSON values. Dates are ISO 8601, `…Ms` are milliseconds. A value that does not exist is
 * `null`. Counts begin when the provider is created, and never decrease.
 */
export interface FliptStatus {
  /**
   * `not-started` until the provider is registered. `ready`, `stale` and `error` as in OpenFeature; a start that was
   * rejected as fatal is `error`, too. `closed` after the close.
   */
  readonly condition: 'not-started' | 'starting' | 'ready' | 'stale' | 'error' | 'closed';
  /** Date of the last change of the condition. */
  readonly since: string;
  /** What led to `stale` or `error`, in the words of the event and the log, which may quote a gateway. */
  readonly why: string | null;
  /**
   * What keeps the provider from answering correctly, as the event `health-changed` names it: `credentials-rejected` for
   * a token that was revoked. Empty if nothing is known.
   */
  readonly problems: readonly Problem[];
  /** Whose flags are evaluated. */
  readonly namespace: string;
  /** The environment of Flipt v2; `null` if none is configured. */
  readonly environment: string | null;
  /**
   * The version of Flipt, as Flipt writes it. `null` if it was not asked, or has not said it: without a watch, and while
   * another instance polls for this one.
   */
  readonly fliptVersion: string | null;
  /** Where flags are evaluated, according to the option. */
  readonly evaluation: 'remote' | 'in-process';
  /** The circuit breaker; `null` without one, and after the close. */
  readonly circuit: CircuitStatus | null;
  /** Whether Flipt keeps up with the questions. */
  readonly overload: OverloadStatus;
  /** The snapshot and its watch; `null` if there is never a snapshot, and after the close. */
  readonly watch: WatchStatus | null;
  /** The store of snapshots across restarts; `null` without one, before it has been loaded, and after the close. */
  readonly store: StoreStatus | null;
  /** What the cache holds, and how its look-ups ended. */
  readonly cache: CacheStatus;
  /** What was sent, and what waits to be sent. */
  readonly requests: RequestStatus;
  /** The events of the option `tracking`; `null` without it. */
  readonly tracking: TrackingStatus | null;
}

/** The events of the option `tracking`. */
export interface TrackingStatus {
  /** Whether the last call of `send` failed. */
  readonly isFailing: boolean;
  /** Events that wait to be sent now, or are being sent. */
  readonly waiting: number;
  /** Count of events that `send` has taken. */
  readonly sent: number;
  /** Count of events that were never sent. */
  readonly lost: number;
}

/** The circuit breaker. */
export interface CircuitStatus {
  /** While it is `open` or `half-open`, only health checks and polls of the snapshot are sent. */
  readonly state: CircuitState;
  /** Date of the last change; `null` if there was none. */
  readonly since: string | null;
}

/** Whether Flipt keeps up with the questions. */
export interface OverloadStatus {
  /** Date since when questions are shed; `null` while none are. */
  readonly since: string | null;
  /** Count of questions that were never sent. */
  readonly shed: number;
}

/** The snapshot, and the watch of it. */
export interface WatchStatus {
  /** `off`: the service is not asked (`watch: false`). `stream`: it is polled, and streams are followed as well. */
  readonly mode: 'off' | 'poll' | 'stream';
  /** How good the watch is; `null` before the first poll has ended. */
  readonly condition: WatchCondition | null;
  /** The version of the snapshot in force; `null` before the first. */
  readonly version: string | null;
  /**
   * Whose rules of evaluation apply to it: those of Flipt v1, of Flipt 2.0 to 2.8 (`v2.8`), or of 2.9 and newer (`v2`);
   * `null` before the first.
   */
  readonly semantics: Semantics | null;
  /** How many flags are in it; `null` before the first. */
  readonly flags: number | null;
  /**
   * Those of them that this version of the package cannot evaluate. Flipt is asked for them. Just after a start, only
   * those of the flags that were asked for: the others are read in the background.
   */
  readonly unreadable: UnreadableStatus;
  /** Date at which Flipt last confirmed it; `null` if it never has. */
  readonly confirmedAt: string | null;
  /** Milliseconds since then. */
  readonly ageMs: number | null;
  /** Date of the next poll; `null` while one is under way. */
  readonly nextPollAt: string | null;
  /**
   * Milliseconds within which each instance with these options sees a change, while Flipt answers: the interval in
   * force plus 20 %, twice that with a shared store. `null` if Flipt is not asked.
   */
  readonly seenWithinMs: number | null;
  /** Why `seenWithinMs` is more than four times `pollMs`: what a whole snapshot costs Flipt. `null` if it is not. */
  readonly why: string | null;
  /** The stream of changes; `null` before its first event, and if no stream is asked for. */
  readonly stream: StreamState | null;
  /** Count of requests for the snapshot that have ended. */
  readonly polls: number;
  /** Count of the polls that failed. */
  readonly failedPolls: number;
  /** Count of flags that changed; a flag that changes twice counts twice. */
  readonly changedFlags: number;
}

/** Flags that a newer Flipt has written in a form that is unknown here. */
export interface UnreadableStatus {
  /** How many there are. */
  readonly count: number;
  /** The first 20. */
  readonly flags: readonly {
    /** The flag's key. */
    readonly key: string;
    /** The place in the flag, what was expected there, and what was found. */
    readonly reason: string;
  }[];
}

/** The store of `snapshot.file` or `snapshot.store`. */
export interface StoreStatus {
  /** Whether its last call has failed; the provider goes on without it. */
  readonly isFailing: boolean;
  /** Date of the last snapshot that was saved; `null` before the first. */
  readonly savedAt: string | null;
}

/** The cache of answers. */
export interface CacheStatus {
  /** Answers in it now. */
  readonly entries: number;
  /** Bytes of these answers, as `cache.maxBytes` counts them. */
  readonly bytes: number;
  /** Count of look-ups that found a fresh answer. */
  readonly hits: number;
  /** Count of look-ups that found a stale answer, which was used and refreshed. */
  readonly staleHits: number;
  /** Count of look-ups that joined the same question, which was under way. */
  readonly joined: number;
  /** Count of look-ups whose question was sent to Flipt. */
  readonly misses: number;
}

/** HTTP requests of all kinds, including retries, checks and polls. */
export interface RequestStatus {
  /** Count of requests sent, including those under way. */
  readonly sent: number;
  /** Count of failed requests by kind. A kind that never occurred is absent. */
  readonly failed: Readonly<Partial<Record<FailureKind, number>>>;
  /** Count of requests that repeated a failed one. */
  readonly retried: number;
  /** Requests under way now. */
  readonly inFlight: number;
  /** Questions that wait to be sent now. */
  readonly waiting: number;
}
