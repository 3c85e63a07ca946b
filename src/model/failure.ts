/** Why a question has no answer. `failure-policy.ts` says what follows from each kind. */
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
