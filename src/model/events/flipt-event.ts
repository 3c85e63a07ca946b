import type { FailureKind } from '../failure.js';

/** While the circuit is open, no evaluation is sent to Flipt. */
export type CircuitState = 'closed' | 'open';

/**
 * Whether the watch of the snapshot (its polls and its stream of changes) works.
 *
 * - `working`: polls succeed.
 * - `lost`: too much time has passed since the last successful poll.
 * - `not-offered`: Flipt seems to offer no snapshots.
 */
export type WatchCondition = 'working' | 'lost' | 'not-offered';

/**
 * The state of the stream over which Flipt reports changes.
 *
 * - `open`: the stream is connected, and its events arrive.
 * - `broken`: the stream broke off or failed to open, and the provider tries to open the stream again.
 * - `not-offered`: Flipt seems to have no stream, for example because it has refused to open the stream for half a
 *   minute.
 */
export type StreamState = 'open' | 'broken' | 'not-offered';

/**
 * What keeps the provider from answering correctly, or from seeing changes of flags. Several problems can exist at the
 * same time.
 *
 * - `unreachable`: as many health checks as `breaker.failures` says have failed one after another, or the start has
 *   failed. It lasts until a health check passes, or until Flipt answers an evaluation. Meanwhile the circuit is open.
 * - `credentials-rejected`: Flipt rejects the credentials also of a health check, or there are no credentials to send.
 * - `flags-lost`: Flipt no longer has any flags, although it had some before. The provider goes on using the flags that
 *   Flipt served last.
 * - `watch-lost`: Flipt has not confirmed the snapshot for three poll intervals, so that the provider does not see
 *   changes.
 */
export type Problem = 'unreachable' | 'credentials-rejected' | 'flags-lost' | 'watch-lost';

/**
 * An event that the provider reports to listeners. The member `type` says what has happened. An event names flags by
 * their keys, and failures by their kinds. The provider puts no context, no user's id, no value or variant of a flag,
 * no credential and no error message into an event.
 */
export type FliptEvent =
  | {
      /** The provider has answered a resolve. */
      readonly type: 'resolved';
      /** The flag's key, or `''` if the app gave a key that is not a string. */
      readonly flag: string;
      /**
       * Where the answer comes from: Flipt, the cache, or an evaluation in this process. If there is no answer,
       * `source` is `service`.
       */
      readonly source: 'service' | 'cache' | 'in-process';
      /** Is `true` if Flipt could not confirm the answer. */
      readonly stale: boolean;
      /** Whether the caller got the default because the flag does not exist. */
      readonly missing: boolean;
      /** The failure because of which the caller got the default, or `undefined` if there was none. */
      readonly failure: FailureKind | undefined;
      /** How many milliseconds the caller waited, or 0 if the provider had the answer already. */
      readonly durationMs: number;
    }
  | {
      /** The cache had a fresh answer (`hit`), or a stale answer that the provider now refreshes (`stale-hit`). */
      readonly type: 'hit' | 'stale-hit';
    }
  | {
      /**
       * The cache had no answer that can be used without asking Flipt. Either an equal question was under way already
       * (`joined`), or the provider sends the question to Flipt (`miss`).
       */
      readonly type: 'joined' | 'miss';
      /** The flag's key. */
      readonly flag: string;
    }
  | {
      /**
       * The provider sends a batch of one or several questions. The requests that divide a failed batch do not cause
       * this event.
       */
      readonly type: 'batch-sent';
      /** How many questions the request contains. */
      readonly items: number;
      /** How many bytes the body of the request has. */
      readonly bytes: number;
    }
  | {
      /**
       * One attempt of a request has ended. Each retry of a request is another attempt. The stream of changes does not
       * count as a request here.
       */
      readonly type: 'attempt';
      /**
       * Why the attempt failed, or `undefined` if it did not fail. The status 304 for an unchanged snapshot does not
       * count as a failure. A failed request for the version of Flipt does not count as a failure, either.
       */
      readonly failure: FailureKind | undefined;
      /** How many milliseconds the attempt took. */
      readonly durationMs: number;
    }
  | {
      /** The provider sends a request again after a connection failure, or after a status such as 503. */
      readonly type: 'retry';
      /** The number of the attempt that comes next. The first retry has the number 2. */
      readonly attempt: number;
      /** How many milliseconds pass until the next attempt begins. */
      readonly delayMs: number;
      /** Why the attempt before the retry failed. */
      readonly failure: FailureKind;
    }
  | {
      /** Because of overload, the provider has let questions fail without sending them. */
      readonly type: 'shed';
      /**
       * Why the provider did not send the questions: too many questions wait already (`queue-full`), or the responses
       * would come too late (`late`).
       */
      readonly reason: 'queue-full' | 'late';
      /** How many questions were not sent. */
      readonly questions: number;
    }
  | {
      /**
       * A batch of questions has failed, and the provider divides the batch to find the question that made the batch
       * fail.
       */
      readonly type: 'isolation-started';
      /** How many questions the failed batch had. */
      readonly items: number;
    }
  | {
      /** Each question of a divided batch now has an answer or a failure. */
      readonly type: 'isolation-finished';
      /** How many extra requests were needed to divide the batch. */
      readonly requests: number;
      /** How many suspects (questions and flags that make their requests fail) the provider has found. */
      readonly suspects: number;
    }
  | {
      /** After a response with status 401, the provider has asked for the credentials again. */
      readonly type: 'credentials-refreshed';
      /** Why the provider got no credentials, or `undefined` if it got credentials, which can be the same as before. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** The state of the circuit breaker has changed. */
      readonly type: 'circuit-changed';
      /** The new state. */
      readonly state: CircuitState;
      /** The failure of the last health check, or `undefined` if the circuit is closed. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** Problems of the provider have begun or ended. */
      readonly type: 'health-changed';
      /** The problems before the change. */
      readonly before: readonly Problem[];
      /** The problems after the change. */
      readonly after: readonly Problem[];
      /** Whether the provider was still starting when the problems changed. */
      readonly starting: boolean;
    }
  | {
      /** A poll, which asks Flipt or a shared store for the snapshot, has ended. */
      readonly type: 'snapshot-polled';
      /** Why the poll failed, or `undefined` if it did not fail. */
      readonly failure: FailureKind | undefined;
      /** How many milliseconds the poll took. */
      readonly durationMs: number;
    }
  | {
      /** The watch of the snapshot, by polls and the stream, has begun to work, or has stopped working. */
      readonly type: 'watch-changed';
      /** The new state of the watch. */
      readonly state: WatchCondition;
      /** Why the watch stopped working, or `undefined` if the watch works. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** The connection to the stream of changes has a new state. */
      readonly type: 'stream-changed';
      /** The new state. */
      readonly state: StreamState;
    }
  | {
      /** The provider has found flags that have changed, are new, or are gone. */
      readonly type: 'flags-changed';
      /** The keys of the flags that have changed, are new, or are gone. */
      readonly flags: readonly string[];
    }
  | {
      /**
       * The list of unreadable flags has changed. A flag is unreadable, for example, if a newer Flipt sends the flag in
       * a form that this version of the package does not know.
       */
      readonly type: 'flags-unreadable';
      /**
       * The keys of all flags that are unreadable now. The list is empty if all flags can be read again. The provider
       * asks Flipt to evaluate unreadable flags, except in-process with `watch: false`.
       */
      readonly flags: readonly string[];
    }
  | {
      /** Flipt does not know the namespace or the environment, or Flipt's snapshot of the namespace is empty. */
      readonly type: 'namespace-suspect';
      /** Why Flipt sent no snapshot, or `undefined` if Flipt sent an empty snapshot. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** The app asked for a flag that does not exist, but a flag with a similar key exists. */
      readonly type: 'flag-key-suspect';
      /** The key that the app asked for. */
      readonly flag: string;
      /** The key of the similar flag that exists. */
      readonly like: string;
    }
  | {
      /**
       * Flipt's snapshot contains several flags with the same key. Of several flags with the same key, the provider
       * evaluates the last one, as Flipt does.
       */
      readonly type: 'flags-repeated';
      /** The keys that more than one flag has. */
      readonly flags: readonly string[];
    }
  | {
      /** A percentage decided the value of a flag, although the context has no `targetingKey`. */
      readonly type: 'bucket-shared';
      /** The flag's key. */
      readonly flag: string;
    }
  | {
      /**
       * The function `tracking.send` has accepted events (`tracking-sent`), or events are lost (`tracking-lost`).
       * Events are lost, for example, if too many events wait, if an event is too large, or if the provider closes
       * before it has sent them.
       */
      readonly type: 'tracking-sent' | 'tracking-lost';
      /** How many tracking events were sent or lost. */
      readonly events: number;
    }
  | {
      /** The provider is being closed. */
      readonly type: 'closed';
    };

/** The types of events that `onEvent` accepts. */
export type FliptEventType = FliptEvent['type'];
