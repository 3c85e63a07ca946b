/**
 * Why a question (a flag and a context) has no answer, or why another request, such as a poll, has failed. The table
 * `FAILURES` says what the provider does about each kind of failure.
 */
export type FailureKind =
  /**
   * The connection failed before the response was complete, for example because the connection was refused or reset,
   * because the certificate was wrong, or because the response was not HTTP.
   */
  | 'connection'
  /**
   * A connection that earlier requests had used failed before the response began, usually because Flipt or a proxy had
   * closed the idle connection. A closed idle connection says nothing about the health of Flipt.
   */
  | 'stale-connection'
  /** A request took longer than its time limit, which is `http.timeoutMs` for one attempt of an evaluation. */
  | 'timeout'
  /**
   * The response has the status 408, 429, 502, 503 or 504, usually because a gateway in front of Flipt failed, or
   * because a limit for requests was exceeded.
   */
  | 'gateway'
  /** The response has the status 500, usually because Flipt failed while it handled the request. */
  | 'service-error'
  /**
   * Flipt rejected a request with several questions, or a request without questions, such as a poll: status 400 or 422.
   * If the request has several questions, any of them can be wrong.
   */
  | 'rejected-request'
  /** Flipt rejected a request with this question alone: status 400 or 422. */
  | 'rejected-question'
  /** The status of the response was 401 or 403, although Flipt accepts the same credentials for a health check. */
  | 'refused-request'
  /** The response to the whole request has the status 404. */
  | 'not-found'
  /** The body of the request is too large: status 413. */
  | 'too-large'
  /** Flipt rejects the credentials: status 401. */
  | 'unauthorized'
  /** Flipt does not allow the request with these credentials: status 403. */
  | 'forbidden'
  /** The response has a status that is not 200, and that belongs to no other kind of failure. */
  | 'unexpected-status'
  /** The body of the response cannot be read, or does not contain the expected answer although the status is 200. */
  | 'unreadable'
  /** Flipt answered the batch, but reports that it could not evaluate this one question. */
  | 'item'
  /** There are no credentials to send, for example because a login failed, so the request was not sent. */
  | 'credentials'
  /** No answer came within `deadlineMs`, or within the part of `deadlineMs` that one request or one poll can take. */
  | 'deadline'
  /**
   * Too many questions already wait to be sent, too many batches fail at the same time, or the response would come too
   * late for the caller.
   */
  | 'overload'
  /** The circuit breaker is open, so the question was not sent. */
  | 'circuit-open'
  /**
   * Flipt no longer knows any flag, or no longer knows this flag, although it has served the flag before. The provider
   * goes on using flags as Flipt last served them.
   */
  | 'flags-lost'
  /**
   * The flag is in the snapshot in a form that this version of the package cannot evaluate, and Flipt did not evaluate
   * the flag either.
   */
  | 'unreadable-flag'
  /** The provider has no snapshot, and needs one to explain a flag, or to evaluate flags without requests to Flipt. */
  | 'no-snapshot'
  /** The provider or the typed client was closed, or the caller aborted the request. */
  | 'closed'
  /** The context cannot be sent to Flipt. */
  | 'context'
  /** The option `targetingKey` is `'required'`, and the context has no `targetingKey`. */
  | 'targeting-key'
  /** The flag key is not a string. */
  | 'flag-key'
  /** A defect of this package made the question fail. */
  | 'defect';

export interface Failure {
  readonly kind: FailureKind;
  /** A sentence for a person to read. Credentials in texts from Flipt or a gateway are redacted. */
  readonly message: string;
  /** The network error, if no response came. */
  readonly cause?: Error;
}

/** The failure of a request that was ended before its answer came. */
export const ENDED: Failure = { kind: 'closed', message: 'the request was ended before its answer came' };

/** What the provider does about a kind of failure. */
export interface FailurePolicy {
  /** What is probably at fault. */
  readonly cause: 'service' | 'credentials' | 'question' | 'caller' | 'provider';
  /** Whether Flipt, or a gateway in front of Flipt, sent an HTTP response. */
  readonly responded: boolean;
  /**
   * Whether the request can be sent again after this failure. After a time-out, another attempt would usually come too
   * late, because most of the caller's time is used up.
   */
  readonly retryable: boolean;
  /**
   * Whether the failure counts for the circuit breaker: yes, no, or only if a health check fails, too. A status 500
   * counts only if a health check fails, too, because a single flag can cause a 500, and must not open the circuit for
   * all other flags. A health check does not evaluate any flag.
   */
  readonly countsForCircuit: 'yes' | 'no' | 'if-a-check-fails';
  /**
   * Whether it is possible that a single question made its whole batch fail. A firewall in front of Flipt can drop a
   * request because of a single context, as if Flipt were down. If a single question can be the cause, a health check
   * shows whether Flipt itself fails.
   */
  readonly spoilsBatch: boolean;
  /**
   * Whether the call gets the last known answer or the value that the snapshot gives, if there is one, instead of its
   * default. After a mistake of the caller, such as a context that cannot be sent, the call gets its default, because
   * another value would hide the mistake.
   */
  readonly lastKnownAnswer: boolean;
  /** OpenFeature's error code for a resolve that returns the default because of this failure. */
  readonly errorCode:
    | 'GENERAL'
    | 'PARSE_ERROR'
    | 'PROVIDER_NOT_READY'
    | 'INVALID_CONTEXT'
    | 'TARGETING_KEY_MISSING';
}

const SERVICE: FailurePolicy = {
  cause: 'service',
  responded: true,
  retryable: false,
  countsForCircuit: 'no',
  spoilsBatch: false,
  lastKnownAnswer: true,
  errorCode: 'GENERAL',
};
const QUESTION: FailurePolicy = { ...SERVICE, cause: 'question', spoilsBatch: true };
const NETWORK: FailurePolicy = { ...SERVICE, responded: false, spoilsBatch: true };
const CREDENTIALS: FailurePolicy = { ...SERVICE, cause: 'credentials' };
const CALLER: FailurePolicy = { ...SERVICE, cause: 'caller', responded: false, lastKnownAnswer: false };
const PROVIDER: FailurePolicy = { ...SERVICE, cause: 'provider', responded: false };

/**
 * This table says what the provider does about each kind of failure. The page docs/how-it-works.md shows the content of
 * this table, and a test compares the page with the table.
 */
export const FAILURES: Readonly<Record<FailureKind, FailurePolicy>> = {
  connection: { ...NETWORK, retryable: true, countsForCircuit: 'yes' },
  'stale-connection': { ...NETWORK, retryable: true },
  timeout: { ...NETWORK, countsForCircuit: 'yes' },
  gateway: { ...NETWORK, responded: true, retryable: true, countsForCircuit: 'yes' },
  'service-error': { ...SERVICE, countsForCircuit: 'if-a-check-fails', spoilsBatch: true },
  'rejected-request': QUESTION,
  'rejected-question': { ...QUESTION, lastKnownAnswer: false },
  'refused-request': QUESTION,
  'not-found': QUESTION,
  'too-large': QUESTION,
  unauthorized: CREDENTIALS,
  forbidden: CREDENTIALS,
  'unexpected-status': SERVICE,
  unreadable: { ...SERVICE, errorCode: 'PARSE_ERROR' },
  item: { ...QUESTION, spoilsBatch: false },
  credentials: { ...CREDENTIALS, responded: false },
  deadline: PROVIDER,
  overload: PROVIDER,
  'circuit-open': { ...PROVIDER, cause: 'service' },
  'flags-lost': SERVICE,
  'unreadable-flag': { ...PROVIDER, errorCode: 'PARSE_ERROR' },
  'no-snapshot': PROVIDER,
  closed: { ...PROVIDER, lastKnownAnswer: false, errorCode: 'PROVIDER_NOT_READY' },
  context: { ...CALLER, errorCode: 'INVALID_CONTEXT' },
  'targeting-key': { ...CALLER, errorCode: 'TARGETING_KEY_MISSING' },
  'flag-key': CALLER,
  defect: PROVIDER,
};

/** Returns whether Flipt has rejected the credentials, with status 401 or 403. */
export function rejectsCredentials({ kind }: { readonly kind: FailureKind }): boolean {
  return kind === 'unauthorized' || kind === 'forbidden';
}

/** Returns what the provider does about a failure. */
export function policyOf({ kind }: { readonly kind: FailureKind }): FailurePolicy {
  return FAILURES[kind];
}
