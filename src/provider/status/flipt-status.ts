import type { CircuitState, Problem, StreamState, WatchCondition } from '../../model/events/flipt-event.js';
import type { Semantics } from '../../engine/features.js';
import type { FailureKind } from '../../model/failure.js';

/**
 * The provider's state in plain JSON values. Dates are in ISO 8601, and members whose name ends in `Ms` are
 * milliseconds. A value that does not exist is `null`. Counts begin when the provider is created, and never decrease.
 */
export interface FliptStatus {
  /**
   * The condition of the provider. The condition is `not-started` until the provider is registered, and `closed` after
   * the close. The conditions `ready`, `stale` and `error` mean the same as in OpenFeature. After a start that was
   * rejected as fatal, the condition is `error`, too.
   */
  readonly condition: 'not-started' | 'starting' | 'ready' | 'stale' | 'error' | 'closed';
  /** The date at which the condition last changed. */
  readonly since: string;
  /**
   * What led to `stale` or `error`, in the words of the event and the log. The text can quote the response of a
   * gateway.
   */
  readonly why: string | null;
  /**
   * The problems that keep the provider from answering correctly, as the event `health-changed` names them. For
   * example, `credentials-rejected` appears after a token was revoked. The list is empty if no problem is known.
   */
  readonly problems: readonly Problem[];
  /** The key of the namespace whose flags are evaluated. */
  readonly namespace: string;
  /** The environment of Flipt v2, or `null` if none is configured. */
  readonly environment: string | null;
  /**
   * The version of Flipt, as Flipt writes it. The version is `null` if Flipt has not told its version, or if this
   * instance has not asked for the version. An instance asks for the version only if the instance itself polls the
   * snapshot: with `watch: false`, the instance does not poll, and with a shared store, another instance can poll for
   * all.
   */
  readonly fliptVersion: string | null;
  /** Where flags are evaluated, according to the option `evaluation`. */
  readonly evaluation: 'remote' | 'in-process';
  /** The state of the circuit breaker, or `null` if there is no circuit breaker, and after the close. */
  readonly circuit: CircuitStatus | null;
  /** Whether Flipt answers fast enough for the number of questions. */
  readonly overload: OverloadStatus;
  /** The snapshot and its watch, or `null` if the options allow no snapshot, and after the close. */
  readonly watch: WatchStatus | null;
  /**
   * The store that keeps the snapshot across restarts. The value is `null` without a store, before the store has been
   * loaded, and after the close.
   */
  readonly store: StoreStatus | null;
  /** What the cache holds, and what its look-ups have found. */
  readonly cache: CacheStatus;
  /** The requests that were sent, and the questions that wait to be sent. */
  readonly requests: RequestStatus;
  /** The events of the option `tracking`, or `null` if the option is not set. */
  readonly tracking: TrackingStatus | null;
}

/** The counts and the state of the events of the option `tracking`. */
export interface TrackingStatus {
  /** Whether the last call of `tracking.send` has failed. */
  readonly isFailing: boolean;
  /** How many events wait to be sent now, or are being sent. */
  readonly waiting: number;
  /** The count of events that `tracking.send` has accepted. */
  readonly sent: number;
  /** The count of events that were lost and will never be sent. */
  readonly lost: number;
}

/** The state of the circuit breaker. */
export interface CircuitStatus {
  /**
   * The state of the circuit. While it is `open` or `half-open`, only health checks and polls of the snapshot are sent.
   */
  readonly state: CircuitState;
  /** The date at which the circuit's state last changed, or `null` if it never has. */
  readonly since: string | null;
}

/** Whether Flipt answers fast enough for the number of questions. */
export interface OverloadStatus {
  /**
   * The date since when the provider sheds questions, which means that it does not send them, or `null` while it sends
   * all questions.
   */
  readonly since: string | null;
  /** The count of questions that were shed, which means that they were never sent. */
  readonly shed: number;
}

/** The snapshot in force, and how the provider watches Flipt for changes. */
export interface WatchStatus {
  /**
   * How the provider learns of changes. With `off`, the provider does not ask Flipt for the snapshot (`watch: false`).
   * With `poll`, the provider polls the snapshot. With `stream`, the provider polls, and also follows Flipt's stream of
   * changes, if there is one.
   */
  readonly mode: 'off' | 'poll' | 'stream';
  /** The condition of the watch, or `null` before the first poll has ended. */
  readonly condition: WatchCondition | null;
  /** The version of the snapshot in force, or `null` before the first snapshot. */
  readonly version: string | null;
  /**
   * The evaluation rules that apply to the snapshot: those of Flipt v1 (`v1`), of Flipt 2.0 to 2.8 (`v2.8`), or of
   * Flipt 2.9 and newer (`v2`). The value is `null` before the first snapshot.
   */
  readonly semantics: Semantics | null;
  /** How many flags the snapshot has, or `null` before the first snapshot. */
  readonly flags: number | null;
  /**
   * The flags that this version of the package cannot evaluate. The provider asks Flipt to evaluate these flags. Just
   * after a start, the list has only the flags that were asked for, because the other flags are still being read in the
   * background.
   */
  readonly unreadable: UnreadableStatus;
  /** The date at which Flipt last confirmed the snapshot, or `null` if it never has. */
  readonly confirmedAt: string | null;
  /** The milliseconds since Flipt last confirmed the snapshot, or `null` if it never has. */
  readonly ageMs: number | null;
  /** The date of the next poll, or `null` while a poll is under way, or if there will be no poll. */
  readonly nextPollAt: string | null;
  /**
   * The milliseconds within which each instance with these options sees a change, as long as Flipt answers. The value
   * is the present interval plus 20 %, or twice as much with a shared store. The value is `null` if Flipt is not asked
   * for the snapshot.
   */
  readonly seenWithinMs: number | null;
  /**
   * Why `seenWithinMs` is more than four times `pollMs`, in words that say what a whole snapshot costs Flipt. The value
   * is `null` if `seenWithinMs` is not more than four times `pollMs`.
   */
  readonly why: string | null;
  /** The state of the stream of changes, or `null` before its first event, and if the provider follows no stream. */
  readonly stream: StreamState | null;
  /** The count of requests for the snapshot that have ended. */
  readonly polls: number;
  /** The count of polls that failed. */
  readonly failedPolls: number;
  /** The count of changes of flags. A flag that changes twice counts twice. */
  readonly changedFlags: number;
}

/** Flags that a newer Flipt has written in a form that this version does not know. */
export interface UnreadableStatus {
  /** How many flags cannot be read. */
  readonly count: number;
  /** The first 20 of these flags. */
  readonly flags: readonly {
    /** The key of the flag. */
    readonly key: string;
    /** Why the flag cannot be read: the place in the flag, what was expected there, and what was found. */
    readonly reason: string;
  }[];
}

/** The state of the store of `snapshot.file` or `snapshot.store`. */
export interface StoreStatus {
  /** Whether the last call of the store has failed. The provider goes on without the store. */
  readonly isFailing: boolean;
  /** The date at which a snapshot was last saved, or `null` before the first save. */
  readonly savedAt: string | null;
}

/** What the cache of answers holds, and what its look-ups have found. */
export interface CacheStatus {
  /** How many answers the cache holds now. */
  readonly entries: number;
  /** How many bytes these answers take, as `cache.maxBytes` counts them. */
  readonly bytes: number;
  /** The count of look-ups that found a fresh answer. */
  readonly hits: number;
  /** The count of look-ups that found a stale answer, which was used and refreshed. */
  readonly staleHits: number;
  /** The count of look-ups that joined the same question, which was already under way. */
  readonly joined: number;
  /** The count of look-ups whose question was sent to Flipt. */
  readonly misses: number;
}

/** The HTTP requests of all kinds, including retries, health checks and polls. */
export interface RequestStatus {
  /** The count of requests that were sent, including those under way. */
  readonly sent: number;
  /** The count of failed requests, by kind of failure. A kind that never occurred is absent. */
  readonly failed: Readonly<Partial<Record<FailureKind, number>>>;
  /** The count of requests that repeated a failed one. */
  readonly retried: number;
  /** How many requests are under way now. */
  readonly inFlight: number;
  /** How many questions wait to be sent now. */
  readonly waiting: number;
}
