/** Why a question has no answer. `FAILURES` says what follows from each kind. */
export type FailureKind =
  /** Refused, reset, cut short, or not HTTP. */
  | 'connection'
  /** A connection that had been idle was closed by the other side. This says nothing about the service. */
  | 'stale-connection'
  /** One attempt took longer than `http.timeoutMs`. */
  | 'timeout'
  /** The same, but the event loop was blocked: the response may have come in time. */
  | 'blocked'
  /** The way to the service, or its limits: 408, 429, 502, 503, 504. */
  | 'gateway'
  /** The service failed on the request: 500. */
  | 'service-error'
  /** The service rejected a request of several questions: 400, 422. Any of them may be wrong. */
  | 'rejected-request'
  /** The service rejected a request of this question alone: 400, 422. */
  | 'rejected-question'
  /** 401 or 403 for this request, although the credentials are accepted. */
  | 'refused-request'
  /** 404 for the whole request. */
  | 'not-found'
  /** 413: the request is too large. */
  | 'too-large'
  /** 401. */
  | 'unauthorized'
  /** 403. */
  | 'forbidden'
  /** Any other status but 200. */
  | 'unexpected-status'
  /** A 200 that does not hold the answer. */
  | 'unreadable'
  /** The service reports that it could not evaluate this one question. */
  | 'item'
  /** The credentials are not available, so nothing was sent. */
  | 'credentials'
  /** The resolve took longer than `deadlineMs`. */
  | 'deadline'
  /** Too many questions wait already. */
  | 'overload'
  /** The circuit breaker is open, so nothing was sent. */
  | 'circuit-open'
  /** The service does not know flags, or a flag, that it has served: what it has served stays. */
  | 'flags-lost'
  /** The snapshot holds the flag in a form that this version cannot evaluate, and the service did not answer instead. */
  | 'unreadable-flag'
  /** Nothing may be sent, and there is no snapshot to evaluate from. */
  | 'no-snapshot'
  /** The provider was closed, or the caller ended the request. */
  | 'closed'
  /** The context cannot be sent. */
  | 'context'
  /** `targetingKey: 'required'`, and the context has none. */
  | 'targeting-key'
  /** The flag key is not a string. */
  | 'flag-key'
  /** A defect in this package. */
  | 'defect';

export interface Failure {
  readonly kind: FailureKind;
  /** One sentence for a person; never holds a credential. */
  readonly message: string;
  /** The network's error, if no response came. */
  readonly cause?: Error;
}

/** The failure of a request that its caller's signal has ended. */
export const ENDED: Failure = { kind: 'closed', message: 'the request was ended before its answer came' };

/** What follows from a failure. */
export interface FailurePolicy {
  /** What must change before the same question can succeed. */
  readonly cause: 'service' | 'credentials' | 'question' | 'caller' | 'provider';
  /** The service, or a gateway in front of it, sent an HTTP response. */
  readonly responded: boolean;
  /** The next attempt may succeed. Not set for a time-out, which has used up the caller's time already. */
  readonly retryable: boolean;
  /**
   * Whether the failure shows that the service fails. One flag may cause a 500, which must not open the circuit for all
   * flags. So a 500 counts only if a check, which concerns no flag, fails, too.
   */
  readonly countsForCircuit: 'yes' | 'no' | 'if-a-check-fails';
  /**
   * Whether one question may have caused the failure of its whole batch. A firewall in front of the service may refuse
   * a context as if the service failed, so a health check decides whether it is the question.
   */
  readonly spoilsBatch: boolean;
  /** The last known answer may be used instead. Not set if that would hide a wrong question. */
  readonly lastKnownAnswer: boolean;
  /** OpenFeature's error code for a resolve that gets the default. */
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

/** The one place that decides what a failure means. docs/how-it-works.md shows it, and a test compares the two. */
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

/** Whether the service has rejected the credentials: 401 or 403. */
export function rejectsCredentials({ kind }: { readonly kind: FailureKind }): boolean {
  return kind === 'unauthorized' || kind === 'forbidden';
}

/** What follows from this failure. */
export function policyOf({ kind }: { readonly kind: FailureKind }): FailurePolicy {
  return FAILURES[kind];
}
