/** Why a question has no answer. `FAILURES` says what follows from each kind. */
export type FailureKind =
  /** The connection was refused, reset or cut short, or the other side does not speak HTTP. */
  | 'connection'
  /**
   * The other side closed a connection that had been idle. A stale connection says nothing about the health of the
   * service.
   */
  | 'stale-connection'
  /** One attempt took longer than `http.timeoutMs`. */
  | 'timeout'
  /**
   * One attempt took longer than `http.timeoutMs` while the event loop was blocked, so that the response might have
   * come in time.
   */
  | 'blocked'
  /** The way to the service, or a limit of the service, made the request fail: status 408, 429, 502, 503 or 504. */
  | 'gateway'
  /** The service failed while it handled the request: status 500. */
  | 'service-error'
  /** The service rejected a request with several questions: status 400 or 422. Any of the questions can be wrong. */
  | 'rejected-request'
  /** The service rejected a request with this question alone: status 400 or 422. */
  | 'rejected-question'
  /** The service answered this request with 401 or 403, although it accepts the credentials. */
  | 'refused-request'
  /** The service answered the whole request with 404. */
  | 'not-found'
  /** The request is too large: status 413. */
  | 'too-large'
  /** The service rejects the credentials: status 401. */
  | 'unauthorized'
  /** The service does not allow the request with these credentials: status 403. */
  | 'forbidden'
  /** The service answered with another status than those above, and not with 200. */
  | 'unexpected-status'
  /** The service answered with status 200, but its body does not hold the answer. */
  | 'unreadable'
  /** The service reports that it could not evaluate this one question. */
  | 'item'
  /** The credentials are not available, so nothing was sent. */
  | 'credentials'
  /** The resolve took longer than `deadlineMs`. */
  | 'deadline'
  /** Too many questions wait already, or no response would come in time. */
  | 'overload'
  /** The circuit breaker is open, so nothing was sent. */
  | 'circuit-open'
  /**
   * The service does not know flags, or one flag, that it has served before. The flags that the service has served
   * before stay in force.
   */
  | 'flags-lost'
  /** The snapshot holds the flag in a form that this version cannot evaluate, and the service did not answer instead. */
  | 'unreadable-flag'
  /** The provider must not send anything, and there is no snapshot to evaluate from. */
  | 'no-snapshot'
  /** The provider was closed, or the caller ended the request. */
  | 'closed'
  /** The context cannot be sent. */
  | 'context'
  /** The option `targetingKey` is `'required'`, and the context has no `targetingKey`. */
  | 'targeting-key'
  /** The flag key is not a string. */
  | 'flag-key'
  /** This package has a defect. */
  | 'defect';

export interface Failure {
  readonly kind: FailureKind;
  /** A sentence for a person to read. The sentence never holds a credential. */
  readonly message: string;
  /** The error of the network, if no response came. */
  readonly cause?: Error;
}

/** The failure of a request that its caller's signal has ended. */
export const ENDED: Failure = { kind: 'closed', message: 'the request was ended before its answer came' };

/** What follows from a kind of failure. */
export interface FailurePolicy {
  /** What must change before the same question can succeed. */
  readonly cause: 'service' | 'credentials' | 'question' | 'caller' | 'provider';
  /** Whether the service, or a gateway in front of it, sent an HTTP response. */
  readonly responded: boolean;
  /**
   * Whether the next attempt might succeed. After a time-out, another attempt would come too late, because the caller's
   * time is used up.
   */
  readonly retryable: boolean;
  /**
   * Whether this failure shows that the service itself is down: yes, no, or only if a health check fails, too. A 500
   * counts only if a health check fails, too, because one flag can cause a 500, which must not open the circuit for all
   * flags. A health check concerns no flag.
   */
  readonly countsForCircuit: 'yes' | 'no' | 'if-a-check-fails';
  /**
   * Whether one question might have caused the failure of its whole batch. A firewall in front of the service can
   * refuse a context as if the service failed, so a health check finds out whether the question is the cause.
   */
  readonly spoilsBatch: boolean;
  /**
   * Whether the last known answer can be used instead of the default. The last known answer must not hide a wrong
   * question.
   */
  readonly lastKnownAnswer: boolean;
  /** OpenFeature's error code for a resolve that gives the default because of this failure. */
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
 * Only this table decides what a failure means. The page docs/how-it-works.md shows this table, and a test compares the
 * page with the table.
 */
export const FAILURES: Readonly<Record<FailureKind, FailurePolicy>> = {
  connection: { ...NETWORK, retryable: true, countsForCircuit: 'yes' },
  'stale-connection': { ...NETWORK, retryable: true },
  timeout: { ...NETWORK, countsForCircuit: 'yes' },
  blocked: PROVIDER,
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

/** Returns whether the service has rejected the credentials, with 401 or 403. */
export function rejectsCredentials({ kind }: { readonly kind: FailureKind }): boolean {
  return kind === 'unauthorized' || kind === 'forbidden';
}

/** Returns what follows from a failure. */
export function policyOf({ kind }: { readonly kind: FailureKind }): FailurePolicy {
  return FAILURES[kind];
}
