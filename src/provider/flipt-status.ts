import type { CircuitState, Problem, StreamState, WatchCondition } from '../model/events/flipt-event.js';
import type { Semantics } from '../engine/features.js';
import type { FailureKind } from '../model/failure.js';

/**
 * The result of `getStatus()`, in plain JSON values. Dates are in ISO 8601, and members whose name ends in `Ms` are in
 * milliseconds. A member that has no value is `null`. The counts begin when the provider is created, and never
 * decrease.
 */
export interface FliptStatus {
  /**
   * The condition of the provider. The condition is `not-started` until the provider is registered, and `closed` after
   * the close. The conditions `ready`, `stale` and `error` mean the same as in OpenFeature. If the start failed with
   * PROVIDER_FATAL, the condition is `error`, too.
   */
  readonly condition: 'not-started' | 'starting' | 'ready' | 'stale' | 'error' | 'closed';
  /** The date at which the condition last changed. */
  readonly since: string;
  /**
   * The reason for the condition `stale` or `error`, usually in the words of OpenFeature's event. The text can quote a
   * gateway's response.
   */
  readonly why: string | null;
  /**
   * The problems that the provider has with Flipt at present, under the names that the event `health-changed` uses. For
   * example, the list contains `credentials-rejected` after a token was revoked. The list is empty if no problem is
   * known.
   */
  readonly problems: readonly Problem[];
  /** The key of the namespace whose flags are evaluated. */
  readonly namespace: string;
  /** The environment of Flipt v2, or `null` if the option `environment` is not set. */
  readonly environment: string | null;
  /**
   * The version of Flipt, as Flipt writes it. The version is `null` if Flipt has not told its version, or if this
   * instance of the provider has not asked for it yet. An instance asks for the version only if it polls the snapshot
   * itself. With `watch: false`, the instance does not poll. With a shared store, another instance can poll for all
   * instances.
   */
  readonly fliptVersion: string | null;
  /** Where flags are evaluated, according to the option `evaluation`. */
  readonly evaluation: 'remote' | 'in-process';
  /**
   * The circuit breaker. This member is `null` if the option `breaker` is `false`, and after the close.
   */
  readonly circuit: CircuitStatus | null;
  /** Whether Flipt answers fast enough for the number of questions. */
  readonly overload: OverloadStatus;
  /** The snapshot and its polls. This member is `null` if the options allow no snapshot, and after the close. */
  readonly watch: WatchStatus | null;
  /**
   * The file or store in which the provider saves the snapshot for the next start. This member is `null` if the options
   * name neither a file nor a store, until the provider has opened the store, and after the close.
   */
  readonly store: StoreStatus | null;
  /** The size of the cache of answers, and the results of look-ups in this cache. */
  readonly cache: CacheStatus;
  /** Counts of HTTP requests to Flipt, and of the questions that wait to be sent. */
  readonly requests: RequestStatus;
  /** Counts of tracking events, or `null` if the option `tracking` is not set. */
  readonly tracking: TrackingStatus | null;
}

/** Counts of tracking events, and whether `tracking.send` fails. */
export interface TrackingStatus {
  /** Whether the last call of `tracking.send` has failed. */
  readonly isFailing: boolean;
  /** The number of tracking events that wait to be sent at present, or are being sent. */
  readonly waiting: number;
  /** The count of tracking events that `tracking.send` has accepted. */
  readonly sent: number;
  /** The count of tracking events that were lost and will never be sent. */
  readonly lost: number;
}

/** The state of the circuit breaker. */
export interface CircuitStatus {
  /**
   * The state of the circuit breaker. While the circuit is `open`, the provider sends no evaluation requests
   * except health checks.
   */
  readonly state: CircuitState;
  /** The date at which the circuit's state last changed, or `null` if the state has never changed. */
  readonly since: string | null;
}

/** Whether Flipt answers fast enough for the number of questions. */
export interface OverloadStatus {
  /**
   * The date since when Flipt has been in overload, so that the provider sheds questions, which means that it does not
   * send them to Flipt. This member is `null` if there is no overload.
   */
  readonly since: string | null;
  /**
   * The count of questions (each is a flag and a context) that the provider has shed, which means that it never sent
   * them to Flipt.
   */
  readonly shed: number;
}

/** The current snapshot, and how the provider finds changes of flags in Flipt. */
export interface WatchStatus {
  /**
   * How the provider finds changes in Flipt. With `off`, the provider does not poll Flipt for the snapshot, for example
   * because of `watch: false`. With `poll`, the provider polls the snapshot. With `stream`, the provider polls, and
   * also follows Flipt's stream of changes, if there is one.
   */
  readonly mode: 'off' | 'poll' | 'stream';
  /** Whether the provider sees changes of flags, or `null` as long as no poll has shown it. */
  readonly condition: WatchCondition | null;
  /** The version of the current snapshot, or `null` before the first snapshot. */
  readonly version: string | null;
  /**
   * The evaluation rules that apply to the snapshot: those of Flipt v1 (`v1`), of Flipt 2.0 to 2.8 (`v2.8`), or of
   * Flipt 2.9 and newer (`v2`). The value is `null` before the first snapshot.
   */
  readonly semantics: Semantics | null;
  /** How many flags the snapshot has, or `null` before the first snapshot. */
  readonly flags: number | null;
  /**
   * The flags that this version of the package cannot evaluate. The provider asks Flipt to evaluate these flags, if the
   * options allow requests. In the first seconds after a start, the list can lack flags that the provider has not
   * parsed yet.
   */
  readonly unreadable: UnreadableStatus;
  /** The date at which Flipt last confirmed the snapshot, or `null` if that date is not known. */
  readonly confirmedAt: string | null;
  /**
   * The milliseconds since Flipt last confirmed the snapshot, or `null` if the date of the confirmation is not known.
   */
  readonly ageMs: number | null;
  /** The date of the next poll, or `null` if no further poll will come, and usually also while a poll is under way. */
  readonly nextPollAt: string | null;
  /**
   * The milliseconds within which each instance with these options sees a change, as long as Flipt answers the polls in
   * time. The value is the present poll interval plus 20 %, or twice as much with a shared store. The value is `null`
   * if the provider does not poll Flipt.
   */
  readonly seenWithinMs: number | null;
  /**
   * The state of the stream of changes. This member is `null` until the first event about the stream, and if
   * `watch.stream` is not set.
   */
  readonly stream: StreamState | null;
  /**
   * The count of polls (requests for the snapshot) that have ended. With a shared store, the polls of other instances
   * can count, too.
   */
  readonly polls: number;
  /** The count of polls that failed. */
  readonly failedPolls: number;
  /** The count of changes of flags that the provider has noticed. A flag that changes twice counts twice. */
  readonly changedFlags: number;
}

/**
 * Flags that this version of the package cannot read, for example because a newer Flipt has written them in an unknown
 * form.
 */
export interface UnreadableStatus {
  /** The number of flags that this version of the package cannot read. */
  readonly count: number;
  /** The first 20 flags that this version of the package cannot read. */
  readonly flags: readonly {
    /** The key of the flag. */
    readonly key: string;
    /** Why the flag cannot be read: the place in the flag, what was expected at that place, and what was found. */
    readonly reason: string;
  }[];
}

/** The state of the store of `snapshot.file` or `snapshot.store`. */
export interface StoreStatus {
  /**
   * Whether the store has failed, and has not worked again since. If the store fails, the provider goes on without the
   * store.
   */
  readonly isFailing: boolean;
  /** The date at which the provider last saved a snapshot, or `null` if it has saved none since its last start. */
  readonly savedAt: string | null;
}

/** The size of the cache of answers, and the results of look-ups in this cache. */
export interface CacheStatus {
  /** The number of answers that the cache holds at present. */
  readonly entries: number;
  /** The bytes that the cached answers take, as `cache.maxBytes` counts them. */
  readonly bytes: number;
  /** The count of look-ups that found a fresh answer. */
  readonly hits: number;
  /**
   * The count of look-ups that found a stale answer. The caller gets a stale answer at once, and the provider refreshes
   * it in the background.
   */
  readonly staleHits: number;
  /** The count of look-ups that waited for a request that was already under way for the same flag and context. */
  readonly joined: number;
  /** The count of look-ups that found no answer that could be used at once, so that the provider asked Flipt. */
  readonly misses: number;
}

/**
 * Counts of HTTP requests to Flipt, including retries, health checks, polls and logins, but not requests for the stream
 * of changes.
 */
export interface RequestStatus {
  /** The count of HTTP requests that were sent, including those under way. */
  readonly sent: number;
  /**
   * The count of failed HTTP requests for each kind of failure. A failed request for the version of Flipt does not
   * count. A kind that never occurred is absent.
   */
  readonly failed: Readonly<Partial<Record<FailureKind, number>>>;
  /** The count of retries. A retry repeats a request that has failed. */
  readonly retried: number;
  /** The number of HTTP requests that are under way at present. */
  readonly inFlight: number;
  /** The number of questions (each is a flag and a context) that wait to be sent at present. */
  readonly waiting: number;
}
