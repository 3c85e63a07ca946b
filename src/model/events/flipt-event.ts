import type { FailureKind } from '../failure.js';

/** The states of the circuit breaker, which stops requests while Flipt fails. */
export type CircuitState = 'closed' | 'open' | 'half-open';

/**
 * Whether the watch of the snapshot (its polls and its stream) works.
 *
 * - `working`: polls succeed.
 * - `lost`: the last poll that succeeded is too long ago.
 * - `not-offered`: the service offers no snapshots.
 */
export type WatchCondition = 'working' | 'lost' | 'not-offered';

/**
 * The state of the stream of changes.
 *
 * - `open`: events come.
 * - `broken`: the stream broke off or failed to open, and the provider tries to open it again.
 * - `not-offered`: the service has no stream, or has refused it for half a minute.
 */
export type StreamState = 'open' | 'broken' | 'not-offered';

/**
 * What keeps the provider from answering correctly. Several problems can exist at once.
 *
 * - `unreachable`: the start has failed, or a health check has failed after the problem `watch-lost` had begun. The
 *   problem lasts until a health check passes or the service answers a question.
 * - `credentials-rejected`: the service rejects the credentials, or there are none to send.
 * - `circuit-open`: the circuit breaker is open or half-open.
 * - `responses-unusable`: the service responds, but with nothing usable; one flag may be the only cause.
 * - `flags-lost`: the service no longer has flags although it had some; the flags that it has served stay in force.
 * - `watch-lost`: the service has not confirmed the snapshot for three intervals, so that changes are not seen.
 */
export type Problem =
  | 'unreachable'
  | 'credentials-rejected'
  | 'circuit-open'
  | 'responses-unusable'
  | 'flags-lost'
  | 'watch-lost';

/**
 * An event that the provider reports to listeners. `type` names the event. An event never holds a context, a user's id,
 * a flag's value or variant, a credential, or text that Flipt or a gateway wrote. Flags are named by key, and failures
 * by kind.
 */
export type FliptEvent =
  | {
      /** A resolve has been answered. */
      readonly type: 'resolved';
      /** The flag's key, or an empty text if the key was not a string. */
      readonly flag: string;
      /** Where the answer comes from. */
      readonly source: 'service' | 'cache' | 'in-process';
      /** Whether Flipt could not confirm the answer. */
      readonly stale: boolean;
      /** Whether the caller got the default because there is no such flag. */
      readonly missing: boolean;
      /** The failure because of which the caller got the default, or `undefined` if there was none. */
      readonly failure: FailureKind | undefined;
      /** How many milliseconds the caller waited, or 0 if the answer was known at once. */
      readonly durationMs: number;
    }
  | {
      /** The cache had a fresh answer (`hit`), or a stale one that it now refreshes (`stale-hit`). */
      readonly type: 'hit' | 'stale-hit';
    }
  | {
      /** The same question was under way already (`joined`), or the question is sent to Flipt (`miss`). */
      readonly type: 'joined' | 'miss';
      /** The flag's key. */
      readonly flag: string;
    }
  | {
      /** A request for the answers to one or several questions is sent. */
      readonly type: 'batch-sent';
      /** How many questions the request holds. */
      readonly items: number;
      /** How many bytes the body of the request has. */
      readonly bytes: number;
    }
  | {
      /** One attempt of a request has ended. */
      readonly type: 'attempt';
      /** Why the attempt failed, or `undefined` for a 200, and for a 304, which says that the snapshot is unchanged. */
      readonly failure: FailureKind | undefined;
      /** How many milliseconds the attempt took. */
      readonly durationMs: number;
    }
  | {
      /** A request is sent again. */
      readonly type: 'retry';
      /** The number of the coming attempt. The first retry has number 2. */
      readonly attempt: number;
      /** How many milliseconds pass until the coming attempt begins. */
      readonly delayMs: number;
      /** How the last attempt failed. */
      readonly failure: FailureKind;
    }
  | {
      /** Questions were answered with a failure and never sent. */
      readonly type: 'shed';
      /**
       * Why the questions were not sent: too many questions wait (`queue-full`), or no response would come in time
       * (`late`).
       */
      readonly reason: 'queue-full' | 'late';
      /** How many questions were not sent. */
      readonly questions: number;
    }
  | {
      /** A batch has failed, and is divided to find the question that made it fail. */
      readonly type: 'isolation-started';
      /** How many questions the batch had. */
      readonly items: number;
    }
  | {
      /** Each question of a divided batch now has an answer or a failure. */
      readonly type: 'isolation-finished';
      /** How many extra requests were needed to divide the batch. */
      readonly requests: number;
      /** How many questions and flags were found that make their requests fail. */
      readonly suspects: number;
    }
  | {
      /** New credentials were requested after a 401. */
      readonly type: 'credentials-refreshed';
      /** Why there are no new credentials, or `undefined` if there are some. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** The circuit breaker has a new state. */
      readonly type: 'circuit-changed';
      /** The new state. */
      readonly state: CircuitState;
      /** The failure that opened the circuit, or `undefined` if the circuit did not open. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** Problems have begun or ended. */
      readonly type: 'health-changed';
      /** The problems before. */
      readonly before: readonly Problem[];
      /** The problems now. */
      readonly after: readonly Problem[];
      /** Whether the provider was still starting, so that the outcome of the start was not known yet. */
      readonly starting: boolean;
    }
  | {
      /** A request for the snapshot has ended. */
      readonly type: 'snapshot-polled';
      /** Why the request failed, or `undefined` if it did not fail. */
      readonly failure: FailureKind | undefined;
      /** How many milliseconds the request took. */
      readonly durationMs: number;
    }
  | {
      /** The watch (the polls and the stream of the snapshot) has begun to work, or has stopped working. */
      readonly type: 'watch-changed';
      /** The new state of the watch. */
      readonly state: WatchCondition;
      /** Why the watch stopped working, or `undefined` if it works. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /**
       * Whole snapshots now take Flipt so long that changes are seen later than four times `watch.pollMs` after they
       * were made, or no longer take Flipt that long.
       */
      readonly type: 'watch-slowed';
      /** Whether changes are now seen later than four times `watch.pollMs`. */
      readonly isLate: boolean;
      /** The most milliseconds that each instance needs to see a change, as long as Flipt answers. */
      readonly seenWithinMs: number;
    }
  | {
      /** The connection to the stream of changes has a new state. */
      readonly type: 'stream-changed';
      /** The new state. */
      readonly state: StreamState;
    }
  | {
      /** Flags have changed, are new, or are gone. */
      readonly type: 'flags-changed';
      /** The keys of the flags that have changed, are new, or are gone. */
      readonly flags: readonly string[];
    }
  | {
      /**
       * Flipt serves two versions of the snapshot in turn: three of ten polls brought back the version before the last
       * one. This happens if one of several replicas of Flipt lags behind.
       */
      readonly type: 'versions-alternate';
      /** The keys of the flags that change back and forth. */
      readonly flags: readonly string[];
    }
  | {
      /**
       * Other flags than before are unreadable now. A newer Flipt can send flags in a form that this version does not
       * know.
       */
      readonly type: 'flags-unreadable';
      /**
       * The keys of the flags that are unreadable now. The list is empty if all flags can be read again. The provider
       * asks Flipt to evaluate the flags in the list.
       */
      readonly flags: readonly string[];
    }
  | {
      /** Flipt does not know the namespace or the environment, or there is nothing in it. */
      readonly type: 'namespace-suspect';
      /** How Flipt answered. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** The app asked for a flag that does not exist, but one with a similar key does. */
      readonly type: 'flag-key-suspect';
      /** The key that the app asked for. */
      readonly flag: string;
      /** The key of the similar flag that exists. */
      readonly like: string;
    }
  | {
      /**
       * Flipt's snapshot holds several flags with one key. The provider evaluates by the last of them, as Flipt does.
       */
      readonly type: 'flags-repeated';
      /** The keys that more than one flag has. */
      readonly flags: readonly string[];
    }
  | {
      /** A percentage decided a resolve whose context has no `targetingKey`. */
      readonly type: 'bucket-shared';
      /** The flag's key. */
      readonly flag: string;
    }
  | {
      /**
       * 20 resolves of a flag had none of the attributes that the flag compares, so that its segments might match
       * nobody.
       */
      readonly type: 'attributes-missing';
      /** The flag's key. */
      readonly flag: string;
    }
  | {
      /**
       * `tracking.send` has taken events (`tracking-sent`), or events are lost (`tracking-lost`), because too many
       * events wait, because an event cannot be sent, or because the provider closes.
       */
      readonly type: 'tracking-sent' | 'tracking-lost';
      /** How many events were sent or lost. */
      readonly events: number;
    }
  | {
      /** The provider is being closed. */
      readonly type: 'closed';
    };

/** The types of events that `onEvent` accepts. */
export type FliptEventType = FliptEvent['type'];
