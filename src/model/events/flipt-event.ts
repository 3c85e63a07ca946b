import type { FailureKind } from '../failure.js';

/** The states of the circuit breaker. */
export type CircuitState = 'closed' | 'open' | 'half-open';

/**
 * How good the watch of the snapshot is: it works; its last success is too long ago; or the service offers no
 * snapshots.
 */
export type WatchCondition = 'working' | 'lost' | 'not-offered';

/**
 * The stream of changes: events come; it broke off or failed to open, and is tried again; there is none, or it has been
 * refused for half a minute.
 */
export type StreamState = 'open' | 'broken' | 'not-offered';

/**
 * What keeps the provider from answering correctly. Several problems may exist at once.
 * - `unreachable`: the service has not answered correctly since the start, or since its watch was lost
 * - `credentials-rejected`: the service rejects the credentials, or there are none to send
 * - `circuit-open`: the circuit breaker is open or half-open
 * - `responses-unusable`: the service responds, but with nothing usable; one flag may be the only cause
 * - `flags-lost`: the service has no flags any more where it had some; those that it has served stay in force
 * - `watch-lost`: the service has not confirmed the snapshot for three intervals, so that changes are not seen
 */
export type Problem =
  | 'unreachable'
  | 'credentials-rejected'
  | 'circuit-open'
  | 'responses-unusable'
  | 'flags-lost'
  | 'watch-lost';

/**
 * What the provider reports to listeners. `type` names the event. An event never holds a context, a user's id, a flag's
 * value or variant, a credential, or text that Flipt or a gateway wrote. Flags are named by key, failures by kind.
 */
export type FliptEvent =
  | {
      /** A resolve is answered. */
      readonly type: 'resolved';
      /** The flag's key; empty if the key was not a string. */
      readonly flag: string;
      /** Where the answer comes from. */
      readonly source: 'service' | 'cache' | 'in-process';
      /** Flipt could not confirm the answer. */
      readonly stale: boolean;
      /** There is no such flag; the caller got the default. */
      readonly missing: boolean;
      /** Any other reason why the caller got the default. */
      readonly failure: FailureKind | undefined;
      /** Milliseconds that the caller waited; 0 if the answer was known at once. */
      readonly durationMs: number;
    }
  | {
      /** The cache had a fresh answer, or a stale one, which is being refreshed. */
      readonly type: 'hit' | 'stale-hit';
    }
  | {
      /** The same question was under way already, or the question is sent to Flipt. */
      readonly type: 'joined' | 'miss';
      /** The flag's key. */
      readonly flag: string;
    }
  | {
      /** A request for answers is sent, with one question or several. */
      readonly type: 'batch-sent';
      /** How many questions. */
      readonly items: number;
      /** Size of its body. */
      readonly bytes: number;
    }
  | {
      /** One attempt of a request has ended. */
      readonly type: 'attempt';
      /** `undefined` for a 200, and for a 304, which says that the snapshot is unchanged. */
      readonly failure: FailureKind | undefined;
      /** Milliseconds that the attempt took. */
      readonly durationMs: number;
    }
  | {
      /** A request is sent again. */
      readonly type: 'retry';
      /** The number of the coming attempt, from 2. */
      readonly attempt: number;
      /** Milliseconds until that attempt begins. */
      readonly delayMs: number;
      /** How the last attempt failed. */
      readonly failure: FailureKind;
    }
  | {
      /** Questions were answered with a failure and never sent. */
      readonly type: 'shed';
      /** Too many questions wait, or no response would come in time. */
      readonly reason: 'queue-full' | 'late';
      /** How many questions. */
      readonly questions: number;
    }
  | {
      /** A batch has failed, and is divided to isolate the question that spoilt it. */
      readonly type: 'isolation-started';
      /** Questions in the batch. */
      readonly items: number;
    }
  | {
      /** Each question of that batch is answered, or has failed. */
      readonly type: 'isolation-finished';
      /** How many extra requests that took. */
      readonly requests: number;
      /** How many questions and flags were found to spoil their requests. */
      readonly suspects: number;
    }
  | {
      /** New credentials were requested after a 401. */
      readonly type: 'credentials-refreshed';
      /** Why there are none; `undefined` if there are. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** The circuit breaker has a new state. */
      readonly type: 'circuit-changed';
      /** The new state. */
      readonly state: CircuitState;
      /** What opened it. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** Problems have begun or ended. */
      readonly type: 'health-changed';
      /** The problems before. */
      readonly before: readonly Problem[];
      /** The problems now. */
      readonly after: readonly Problem[];
      /** True if the outcome of the start was not known yet. */
      readonly starting: boolean;
    }
  | {
      /** A request for the snapshot has ended. */
      readonly type: 'snapshot-polled';
      /** Why it failed. */
      readonly failure: FailureKind | undefined;
      /** Milliseconds that it took. */
      readonly durationMs: number;
    }
  | {
      /** The watch has begun to work, or has stopped. */
      readonly type: 'watch-changed';
      /** The new state of the watch. */
      readonly state: WatchCondition;
      /** Why the watch stopped. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /**
       * Changes are seen later than four times `watch.pollMs` from now on, because whole snapshots take Flipt so long;
       * or no longer.
       */
      readonly type: 'watch-slowed';
      /** Whether they are. */
      readonly isLate: boolean;
      /** Milliseconds within which each instance sees a change, while Flipt answers. */
      readonly seenWithinMs: number;
    }
  | {
      /** The state of the connection to the stream of changes. */
      readonly type: 'stream-changed';
      /** The new state. */
      readonly state: StreamState;
    }
  | {
      /** Flags have changed, are new, or are gone. */
      readonly type: 'flags-changed';
      /** Their keys. */
      readonly flags: readonly string[];
    }
  | {
      /** Flipt serves two versions in turn, as replicas do of which one lags: three of ten polls brought back the last. */
      readonly type: 'versions-alternate';
      /** The keys of the flags that change back and forth. */
      readonly flags: readonly string[];
    }
  | {
      /** Other flags than before are unreadable: a newer Flipt may send what this version does not know. */
      readonly type: 'flags-unreadable';
      /** Their keys; none if all flags can be read again. Flipt is asked for these flags. */
      readonly flags: readonly string[];
    }
  | {
      /** Flipt knows no such namespace or environment, or there is nothing in it. */
      readonly type: 'namespace-suspect';
      /** How Flipt answered. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** A missing flag was asked for. */
      readonly type: 'flag-key-suspect';
      /** The key that was asked for. */
      readonly flag: string;
      /** The key of an existing flag, which is almost the same. */
      readonly like: string;
    }
  | {
      /** Flipt's snapshot holds several flags of one key. As Flipt does, the provider evaluates by the last of them. */
      readonly type: 'flags-repeated';
      /** Their keys. */
      readonly flags: readonly string[];
    }
  | {
      /** A percentage decided a resolve without a `targetingKey`. */
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
      /** `tracking.send` has taken events, or events are lost: too many wait, one cannot be sent, or the provider closes. */
      readonly type: 'tracking-sent' | 'tracking-lost';
      /** How many. */
      readonly events: number;
    }
  | {
      /** The provider is being closed. */
      readonly type: 'closed';
    };

/** The types of events that `onEvent` takes. */
export type FliptEventType = FliptEvent['type'];
