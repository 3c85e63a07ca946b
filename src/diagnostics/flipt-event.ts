import type { FailureKind } from '../model/failure.js';
import type { CircuitState, DiagnosticEvent, Problem, StreamState, WatchCondition } from './events.js';

/**
 * What the provider reports to listeners, named by `type`. An event never holds a context, a user's id, a flag's value or
 * variant, a credential, or a text that Flipt or a gateway wrote. It names flags by key and failures by kind.
 */
export type FliptEvent =
  | {
      /** A resolve has its resolution. */
      readonly type: 'resolved';
      /** Its key; empty for what is no string. */
      readonly flag: string;
      /** Where the answer is from. */
      readonly source: 'service' | 'cache' | 'in-process';
      /** Flipt could not confirm the answer. */
      readonly stale: boolean;
      /** There is no such flag: it got the default. */
      readonly missing: boolean;
      /** Any other reason why it got the default. */
      readonly failure: FailureKind | undefined;
      /** Milliseconds that it waited; 0 for what was known at once. */
      readonly durationMs: number;
    }
  | {
      /** A fresh answer was in the cache, or a stale one, and a refresh is under way. */
      readonly type: 'hit' | 'stale-hit';
    }
  | {
      /** The same question was under way already, or it goes to Flipt. */
      readonly type: 'joined' | 'miss';
      /** Its key. */
      readonly flag: string;
    }
  | {
      /** A request of several questions goes out. */
      readonly type: 'batch-sent';
      /** How many. */
      readonly items: number;
      /** Of its body. */
      readonly bytes: number;
    }
  | {
      /** One attempt of a request has ended. */
      readonly type: 'attempt';
      /** `undefined` for a 200, and for a 304 that says that the snapshot is as it was. */
      readonly failure: FailureKind | undefined;
      /** Milliseconds that it took. */
      readonly durationMs: number;
    }
  | {
      /** A request is sent again. */
      readonly type: 'retry';
      /** The number of the attempt to come, from 2. */
      readonly attempt: number;
      /** Milliseconds until it begins. */
      readonly delayMs: number;
      /** How the one before has failed. */
      readonly failure: FailureKind;
    }
  | {
      /** Questions were answered with a failure and never sent. */
      readonly type: 'shed';
      /** Too many wait, or no response would be in time. */
      readonly reason: 'queue-full' | 'late';
      /** How many. */
      readonly questions: number;
    }
  | {
      /** The search for the question that spoils a batch has begun. */
      readonly type: 'isolation-started';
      /** Questions of the batch. */
      readonly items: number;
    }
  | {
      /** It has ended. */
      readonly type: 'isolation-finished';
      /** How many it took. */
      readonly requests: number;
      /** How many questions it found. */
      readonly culprits: number;
    }
  | {
      /** New credentials were asked for after a 401. */
      readonly type: 'credentials-refreshed';
      /** There were none. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** The circuit breaker has a new state. */
      readonly type: 'circuit-changed';
      /** The new one. */
      readonly state: CircuitState;
      /** What opened it. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** Problems have begun or ended. */
      readonly type: 'health-changed';
      /** Those before. */
      readonly before: readonly Problem[];
      /** Those now. */
      readonly after: readonly Problem[];
      /** The outcome of the start was not known yet. */
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
      /** The new one. */
      readonly state: WatchCondition;
      /** Why. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** The state of the connection to the stream of changes. */
      readonly type: 'stream-changed';
      /** The new one. */
      readonly state: StreamState;
    }
  | {
      /** Flags have changed, are new, or are gone. */
      readonly type: 'flags-changed';
      /** Their keys. */
      readonly flags: readonly string[];
    }
  | {
      /** Flipt knows no such namespace or environment, or there is nothing in it. */
      readonly type: 'namespace-suspect';
      /** What it answered. */
      readonly failure: FailureKind | undefined;
    }
  | {
      /** A flag was asked for that is missing. */
      readonly type: 'flag-key-suspect';
      /** Its key. */
      readonly flag: string;
      /** A flag of almost the same key. */
      readonly like: string;
    }
  | {
      /** A percentage has decided for a context without a `targetingKey`. */
      readonly type: 'bucket-shared';
      /** Its key. */
      readonly flag: string;
    };

/** The types of events that `onEvent` takes. */
export type FliptEventType = FliptEvent['type'];

/** Questions hold contexts, and a failure's message may quote what Flipt or a gateway wrote: neither goes outside. */
export function fliptEvent(event: DiagnosticEvent): FliptEvent {
  switch (event.type) {
    case 'miss':
      return { type: event.type, flag: event.question.flag };
    case 'bucket-shared':
      return { type: event.type, flag: event.flag };
    case 'shed': {
      const { type, reason, questions } = event;
      return { type, reason, questions };
    }
    case 'health-changed': {
      const { before, after, starting, type } = event;
      return { type, before: [...before.keys()], after: [...after.keys()], starting };
    }
    case 'stream-changed':
      return { type: event.type, state: event.state };
    // The list is the layers' own.
    case 'flags-changed':
      return { type: event.type, flags: [...event.flags] };
    case 'circuit-changed':
      return { type: event.type, state: event.state, failure: event.failure?.kind };
    case 'watch-changed':
      return { type: event.type, state: event.state, failure: event.failure?.kind };
    case 'snapshot-polled':
      return { type: event.type, durationMs: event.durationMs, failure: event.failure?.kind };
    case 'credentials-refreshed':
      return { type: event.type, failure: event.failure?.kind };
    case 'namespace-suspect':
      return { type: event.type, failure: event.failure?.kind };
    default:
      return event;
  }
}
