import type { FailureKind, Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';
import type { UnreadableFlag } from '../model/unreadable-flag.js';

/** The states of the circuit breaker. */
export type CircuitState = 'closed' | 'open' | 'half-open';

/**
 * How good the watch of the snapshot is: it works; its last success is too long ago; or the service offers no
 * snapshots.
 */
export type WatchCondition = 'working' | 'lost' | 'not-offered';

/** The stream of changes: events come; it broke off or failed to open, and is tried again; there is none. */
export type StreamState = 'open' | 'broken' | 'not-offered';

/**
 * What keeps the provider from answering correctly. Several problems may exist at once.
 * - `unreachable`: the service has not answered correctly since the start
 * - `credentials-rejected`: the service rejects the credentials, or there are none to send
 * - `circuit-open`: the circuit breaker is open or half-open
 * - `responses-unusable`: the service responds, but with nothing usable; one flag may be the only cause
 */
export type Problem = 'unreachable' | 'credentials-rejected' | 'circuit-open' | 'responses-unusable';
/** Each problem with the failure that it began with. */
export type Problems = ReadonlyMap<Problem, Failure>;

/** What the layers report, named by `type`. Times are milliseconds. */
export type DiagnosticEvent =
  /**
   * A resolve is answered. `missing`: there is no such flag. `failure`: why the resolve got the default. `durationMs`:
   * how long it waited; 0 if the answer was known at once.
   */
  | {
      readonly type: 'resolved';
      readonly flag: string;
      readonly source: 'service' | 'cache' | 'in-process';
      readonly stale: boolean;
      readonly missing: boolean;
      readonly failure: FailureKind | undefined;
      readonly durationMs: number;
    }
  /** A fresh answer was in the cache. */
  | { readonly type: 'hit' }
  /** A stale answer was in the cache; a refresh is under way. */
  | { readonly type: 'stale-hit' }
  /** The same question was under way already. */
  | { readonly type: 'joined'; readonly flag: string }
  /** The question is sent to the service. */
  | { readonly type: 'miss'; readonly question: Question }
  /** A request of `items` questions is sent; `bytes` is the size of its body. */
  | { readonly type: 'batch-sent'; readonly items: number; readonly bytes: number }
  /** One attempt of a request has ended; `failure` is `undefined` for a 200, and for the 304 of a poll. */
  | {
      readonly type: 'attempt';
      readonly failure: FailureKind | undefined;
      readonly durationMs: number;
    }
  /** A request is sent again after `delayMs`; `attempt` is the number of the coming attempt, from 2. */
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly delayMs: number;
      readonly failure: FailureKind;
    }
  /** The circuit breaker has changed its state; `failure` opened it. */
  | {
      readonly type: 'circuit-changed';
      readonly state: CircuitState;
      readonly failure: Failure | undefined;
    }
  /** Problems have begun or ended. `starting`: before the outcome of the start was known. */
  | {
      readonly type: 'health-changed';
      readonly before: Problems;
      readonly after: Problems;
      readonly starting: boolean;
    }
  /** New credentials were requested after a 401; `failure`: why there are none. */
  | { readonly type: 'credentials-refreshed'; readonly failure: Failure | undefined }
  /** The search for the question that spoils a batch of `items` has begun. */
  | { readonly type: 'isolation-started'; readonly items: number }
  /** The search has ended. It sent `requests` requests and found `culprits` questions. */
  | { readonly type: 'isolation-finished'; readonly requests: number; readonly culprits: number }
  /** Questions were answered with `failure` and never sent: too many wait, or no response would come in time. */
  | {
      readonly type: 'shed';
      readonly reason: 'queue-full' | 'late';
      readonly questions: number;
      readonly failure: Failure;
    }
  /** A request for the snapshot has ended. `failure`: why it failed. */
  | { readonly type: 'snapshot-polled'; readonly durationMs: number; readonly failure: Failure | undefined }
  /** The watch of the service's snapshot has begun to work, or has stopped. */
  | { readonly type: 'watch-changed'; readonly state: WatchCondition; readonly failure: Failure | undefined }
  /** These flags have changed, are new, or are gone. */
  | { readonly type: 'flags-changed'; readonly flags: readonly string[] }
  /** The flags of the snapshot that this version cannot evaluate, by key, are others than before. */
  | { readonly type: 'flags-unreadable'; readonly flags: ReadonlyMap<string, UnreadableFlag> }
  /** The service knows no such namespace or environment (`failure`), or there is nothing in it. */
  | { readonly type: 'namespace-suspect'; readonly failure: Failure | undefined }
  /** A missing flag was asked for, and there is a flag with almost the same key. */
  | { readonly type: 'flag-key-suspect'; readonly flag: string; readonly like: string }
  /** A percentage decided a question without an entity; `attributes` are the names of its attributes. */
  | { readonly type: 'bucket-shared'; readonly flag: string; readonly attributes: readonly string[] }
  /** The state of the connection to the stream of changes. */
  | { readonly type: 'stream-changed'; readonly state: StreamState; readonly why: string }
  /** The provider is closed. */
  | { readonly type: 'closed' };

export type EventType = DiagnosticEvent['type'];

/** The event of one type. */
export type EventOf<Type extends EventType> = Extract<DiagnosticEvent, { readonly type: Type }>;

/** Every type once. */
export const EVENT_TYPES = [
  'resolved',
  'hit',
  'stale-hit',
  'joined',
  'miss',
  'batch-sent',
  'attempt',
  'retry',
  'circuit-changed',
  'health-changed',
  'credentials-refreshed',
  'isolation-started',
  'isolation-finished',
  'shed',
  'snapshot-polled',
  'watch-changed',
  'flags-changed',
  'flags-unreadable',
  'namespace-suspect',
  'flag-key-suspect',
  'bucket-shared',
  'stream-changed',
  'closed',
] as const satisfies readonly EventType[];
