import type { FailureKind } from '../failure.js';

/** The states of the circuit breaker. */
export type CircuitState = 'closed' | 'open' | 'half-open';

/**
 * How well the watch of the snapshot works.
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
 * - `broken`: the stream broke off or failed to open, and the provider tries again.
 * - `not-offered`: the service has no stream, or has refused it for half a minute.
 */
export type StreamState = 'open' | 'broken' | 'not-offered';

/**
 * What keeps the provider from answering correctly. Several problems may exist at once.
 *
 * - `unreachable`: the service has not answered correctly since the start, or since its watch was lost.
 * - `credentials-rejected`: the service rejects the credentials, or there are none to send.
 * - `circuit-open`: the circuit breaker is open or half-open.
 * - `responses-unusable`: the service responds, but with nothing usable; one flag may be the only cause.
 * - `flags-lost`: the service has no flags any more where it had some; those that it has served stay in force.
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
      /** The flag's key; empty if the key was not a string. */
      readonly flag: string;
      /** Where the answer comes from. */
      readonly source: 'service' | 'cache' | 'in-process';
      /** Whether Flipt could not confirm the answer. */
      readonly stale: boolean;
      /** Whether the caller got the default because there is no such flag. */
      readonly missing: boolean;
      /** Why else the caller got the default; `undefined` if there is no other reason. */
      readonly failure: FailureKind | undefined;
      /** How many milliseconds the caller waited; 0 if the answer was known at once. */
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
      /** How many questions are concerned. */
      readonly items: number;
      /** How many bytes its body has. */
      readonly bytes: number;
    }
  | {
      /** One attempt of a request has ended. */
      readonly type: 'attempt';
      /** Why the attempt failed; `undefined` for a 200, and for a 304, which says that the snapshot is unchanged. */
      readonly failure: FailureKind | undefined;
      /** How many milliseconds the attempt took. */
      readonly durationMs: number;
    }
  | {
      /** A request is sent again. */
      readonly type: 'retry';
      /** The number of the coming attempt. The first retry has number 2. */
      readonly attempt: number;
      /** How many milliseconds pass until that attempt begins. */
      readonly delayMs: number;
      /** How the last attempt failed. */
      readonly failure: FailureKind;
    }
  | {
      /** Questions were answered with a failure and never sent. */
      readonly type: 'shed';
      /** Why: too many questions wait (`queue-full`), or no response would come in time (`late`). */
      readonly reason: 'queue-full' | 'late';
      /** How many questions are concerned. */
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
      /** How many extra requests that took. */
      readonly requests: number;
      /** How many questions and flags were found that make their requests fail. */
      readonly suspects: number;
    }
  | {
      /** New credentials were requested after a 401. */
      readonly type: 'credentials-refreshed';
      /** Why there are no new credentials; `undefined` if there are. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** The circuit breaker has a new state. */
      readonly type: 'circuit-changed';
      /** The new state. */
      readonly state: CircuitState;
      /** The failure that opened it; `undefined` if it did not open. */
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
      /** Why the request failed; `undefined` if it did not. */
      readonly failure: FailureKind | undefined;
      /** How many milliseconds the request took. */
      readonly durationMs: number;
    }
  | {
      /** The watch has begun to work, or has stopped. */
      readonly type: 'watch-changed';
      /** The new state of the watch. */
      readonly state: WatchCondition;
      /** Why the watch stopped; `undefined` if it works. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /**
       * Whole snapshots take Flipt so long that changes are seen later than four times `watch.pollMs` after they were
       * made; or this is no longer so.
       */
      readonly type: 'watch-slowed';
      /** Whether changes are now seen that late. */
      readonly isLate: boolean;
      /** How many milliseconds each instance needs at most to see a change, while Flipt answers. */
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
      /** The keys of these flags. */
      readonly flags: readonly string[];
    }
  | {
      /**
       * Flipt serves two versions in turn: three of ten polls brought the last version back. Replicas of which one lags
       * do that.
       */
      readonly type: 'versions-alternate';
      /** The keys of the flags that change back and forth. */
      readonly flags: readonly string[];
    }
  | {
      /** Which flags are unreadable has changed. A newer Flipt may send what this version does not know. */
      readonly type: 'flags-unreadable';
      /**
       * The keys of these flags. The list is empty if all flags can be read again. The provider asks Flipt for these
       * flags.
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
      /** The key that was asked for. */
      readonly flag: string;
      /** The key of the existing flag. */
      readonly like: string;
    }
  | {
      /**
       * Flipt's snapshot holds several flags with one key. The provider evaluates by the last of them, as Flipt does.
       */
      readonly type: 'flags-repeated';
      /** The keys of these flags. */
      readonly flags: readonly string[];
    }
  | {
      /** A percentage decided a resolve whose context has no `targetingKey`. */
      readonly type: 'bucket-shared';
      /** The flag's key. */
      readonly flag: string;
    }
  | {
      /** 20 resolves of a flag had none of the attributes that it compares, so that its segments may match nobody. */
      readonly type: 'attributes-missing';
      /** The flag's key. */
      readonly flag: string;
    }
  | {
      /**
       * `tracking.send` has taken events (`tracking-sent`), or events are lost (`tracking-lost`), because too many
       * wait, one cannot be sent, or the provider closes.
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
