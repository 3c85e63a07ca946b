import type { FailureKind } from '../failure.js';

/** While the circuit is open, no evaluation is sent to Flipt. */
export type CircuitState = 'closed' | 'open';

/**
 * - `working`: polls succeed.
 * - `lost`: the last successful poll is more than three intervals ago.
 * - `not-offered`: Flipt seems to offer no snapshots.
 */
export type WatchCondition = 'working' | 'lost' | 'not-offered';

/**
 * - `open`: events of the stream arrive.
 * - `broken`: it broke off or did not open, and is opened again.
 * - `not-offered`: Flipt seems to have no stream, or a proxy holds it back.
 */
export type StreamState = 'open' | 'broken' | 'not-offered';

/**
 * What keeps the provider from answering correctly, or from seeing changes of flags.
 *
 * - `unreachable`: `breaker.failures` health checks have failed one after another, or the start has. The circuit is
 *   open until a check passes or Flipt answers an evaluation.
 * - `credentials-rejected`: Flipt rejects the credentials of a health check, too, or there are none to send.
 * - `flags-lost`: Flipt has no flags any more. The provider goes on with those that Flipt served last.
 * - `watch-lost`: Flipt has not confirmed the snapshot for three poll intervals, so changes are not seen.
 */
export type Problem = 'unreachable' | 'credentials-rejected' | 'flags-lost' | 'watch-lost';

/**
 * What listeners of `onEvent` hear. Flags are named by key, failures by kind. No event holds a context, a user's id, a
 * value or variant, a credential or an error message, because these may quote text of Flipt or of a gateway.
 */
export type FliptEvent =
  | {
      /** A resolve has been answered. */
      readonly type: 'resolved';
      /** `''` if the app gave a key that is not a string. */
      readonly flag: string;
      /** `service` also if there is no answer. */
      readonly source: 'service' | 'cache' | 'in-process';
      /** Flipt could not confirm the answer. */
      readonly stale: boolean;
      /** The caller got its default, because the flag does not exist. */
      readonly missing: boolean;
      /** Why the caller got its default. */
      readonly failure: FailureKind | undefined;
      /** How long the caller waited: 0 if the answer was there already. */
      readonly durationMs: number;
    }
  | {
      /** The cache had a fresh answer (`hit`), or a stale one that is now refreshed (`stale-hit`). */
      readonly type: 'hit' | 'stale-hit';
    }
  | {
      /** The cache had none: an equal question was under way (`joined`), or Flipt is asked (`miss`). */
      readonly type: 'joined' | 'miss';
      readonly flag: string;
    }
  | {
      /** A batch of questions is sent. Requests that divide a failed batch are no such event. */
      readonly type: 'batch-sent';
      readonly items: number;
      /** Of the request's body. */
      readonly bytes: number;
    }
  | {
      /** One attempt of a request has ended; each retry is another one. The stream of changes is none. */
      readonly type: 'attempt';
      /** A 304 is no failure here, and neither is a failed request for Flipt's version. */
      readonly failure: FailureKind | undefined;
      readonly durationMs: number;
    }
  | {
      /** A request is sent again, after a connection failure or a status such as 503. */
      readonly type: 'retry';
      /** Of the attempt that comes next: 2 for the first retry. */
      readonly attempt: number;
      /** Until the next attempt. */
      readonly delayMs: number;
      readonly failure: FailureKind;
    }
  | {
      /** Because of overload, questions have failed without being sent. */
      readonly type: 'shed';
      /** Too many questions wait (`queue-full`), or their answers would come too late (`late`). */
      readonly reason: 'queue-full' | 'late';
      readonly questions: number;
    }
  | {
      /** A batch has failed, and is divided to find the question that made it fail. */
      readonly type: 'isolation-started';
      readonly items: number;
    }
  | {
      /** Each question of a divided batch has its answer or failure. */
      readonly type: 'isolation-finished';
      /** How many extra requests it took. */
      readonly requests: number;
      /** How many questions make their requests fail. */
      readonly suspects: number;
    }
  | {
      /** After a 401, the credentials were asked for again. */
      readonly type: 'credentials-refreshed';
      /** Why there were none. */
      readonly failure: FailureKind | undefined;
    }
  | {
      readonly type: 'circuit-changed';
      readonly state: CircuitState;
      /** Of the last health check. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** Problems have begun or ended. */
      readonly type: 'health-changed';
      readonly before: readonly Problem[];
      readonly after: readonly Problem[];
      readonly starting: boolean;
    }
  | {
      /** A poll of Flipt, or of a shared store, has ended. */
      readonly type: 'snapshot-polled';
      readonly failure: FailureKind | undefined;
      readonly durationMs: number;
    }
  | {
      readonly type: 'watch-changed';
      readonly state: WatchCondition;
      /** Of the last poll. */
      readonly failure: FailureKind | undefined;
    }
  | {
      readonly type: 'stream-changed';
      readonly state: StreamState;
    }
  | {
      readonly type: 'flags-changed';
      /** Those that have changed, are new, or are gone. */
      readonly flags: readonly string[];
    }
  | {
      /** The list of flags that this version of the package cannot read has changed. */
      readonly type: 'flags-unreadable';
      /** All of them; empty once all flags can be read again. */
      readonly flags: readonly string[];
    }
  | {
      /** Flipt does not know the namespace or the environment, or its snapshot has no flags. */
      readonly type: 'namespace-suspect';
      /** `undefined` if the snapshot has no flags. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** The app asked for a flag that does not exist, and a flag with a similar key does. */
      readonly type: 'flag-key-suspect';
      readonly flag: string;
      /** The key that exists. */
      readonly like: string;
    }
  | {
      /** The snapshot has several flags of one key. The last one counts, as in Flipt. */
      readonly type: 'flags-repeated';
      readonly flags: readonly string[];
    }
  | {
      /** A percentage decided the value of a flag, although the context has no `targetingKey`. */
      readonly type: 'bucket-shared';
      readonly flag: string;
    }
  | {
      /** `tracking.send` has accepted events (`tracking-sent`), or events are lost (`tracking-lost`). */
      readonly type: 'tracking-sent' | 'tracking-lost';
      readonly events: number;
    }
  | {
      /** The provider is being closed. */
      readonly type: 'closed';
    };

export type FliptEventType = FliptEvent['type'];
