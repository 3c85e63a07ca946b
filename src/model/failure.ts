/** Why a question has no answer, or why another request, such as a poll, has failed. */
export type FailureKind =
  /** The connection failed before the response was complete, or the response was not HTTP. */
  | 'connection'
  /** A connection that was used before had been closed by the other side, which says nothing about Flipt. */
  | 'stale-connection'
  /** A request took longer than its limit, which is `http.timeoutMs` for one attempt of an evaluation. */
  | 'timeout'
  /** Status 408, 429, 502, 503 or 504. */
  | 'gateway'
  /** Status 500. One flag that Flipt cannot evaluate causes it for its whole batch. */
  | 'service-error'
  /** Status 400 or 422 for several questions, or for a request without questions. */
  | 'rejected-request'
  /** Status 400 or 422 for this question alone. */
  | 'rejected-question'
  /** Status 401 or 403 although Flipt accepts the credentials, or a firewall's 403. */
  | 'refused-request'
  /** Status 404 for the whole request. */
  | 'not-found'
  /** Status 413. */
  | 'too-large'
  /** Status 401. */
  | 'unauthorized'
  /** Status 403. */
  | 'forbidden'
  /** Any other status but 200. */
  | 'unexpected-status'
  /** Status 200 with a body that is not the expected answer. */
  | 'unreadable'
  /** Flipt answered the batch, but could not evaluate this question. */
  | 'item'
  /** There are no credentials to send, so the request was not sent. */
  | 'credentials'
  /** No answer came within `deadlineMs`. */
  | 'deadline'
  /** Too many questions wait, or too many batches fail. */
  | 'overload'
  /** Flipt is sick, so the question was not sent. */
  | 'circuit-open'
  /** Flipt no longer knows any flag, or this one, although it has served it. */
  | 'flags-lost'
  /** The flag is in the snapshot in a form that this version cannot evaluate, and Flipt did not evaluate it either. */
  | 'unreadable-flag'
  /** There is no snapshot to explain a flag, or to evaluate it without requests. */
  | 'no-snapshot'
  /** The provider or the client was closed, or the caller aborted the request. */
  | 'closed'
  /** The context cannot be sent. */
  | 'context'
  /** `targetingKey: 'required'`, and the context has none. */
  | 'targeting-key'
  /** The flag key is not a string. */
  | 'flag-key'
  /** A defect of this package. */
  | 'defect';

export interface Failure {
  readonly kind: FailureKind;
  /** For a person to read. Credentials are redacted. */
  readonly message: string;
  /** The network error, if no response came. */
  readonly cause?: Error;
}

/** The failure of a request that was ended before its answer came. */
export const ENDED: Failure = { kind: 'closed', message: 'the request was ended before its answer came' };

/** What the package does about a kind of failure. */
export interface FailurePolicy {
  /** What is probably at fault. What is not `provider` or `caller` asks for a health check. */
  readonly cause: 'service' | 'credentials' | 'question' | 'caller' | 'provider';
  /** After a time-out, another attempt would come too late. */
  readonly retryable: boolean;
  /** Whether a single question may have made its whole batch fail: a firewall can drop a request for one context. */
  readonly spoilsBatch: boolean;
  /** Not after a mistake of the caller, which another value would hide. */
  readonly lastKnownAnswer: boolean;
  /** OpenFeature's error code where the call gets its default. */
  readonly errorCode:
    | 'GENERAL'
    | 'PARSE_ERROR'
    | 'PROVIDER_NOT_READY'
    | 'INVALID_CONTEXT'
    | 'TARGETING_KEY_MISSING';
}

const SERVICE: FailurePolicy = {
  cause: 'service',
  retryable: false,
  spoilsBatch: false,
  lastKnownAnswer: true,
  errorCode: 'GENERAL',
};
const QUESTION: FailurePolicy = { ...SERVICE, cause: 'question', spoilsBatch: true };
const NETWORK: FailurePolicy = { ...SERVICE, spoilsBatch: true };
const CREDENTIALS: FailurePolicy = { ...SERVICE, cause: 'credentials' };
const CALLER: FailurePolicy = { ...SERVICE, cause: 'caller', lastKnownAnswer: false };
const PROVIDER: FailurePolicy = { ...SERVICE, cause: 'provider' };

export const FAILURES: Readonly<Record<FailureKind, FailurePolicy>> = {
  connection: { ...NETWORK, retryable: true },
  'stale-connection': { ...NETWORK, retryable: true },
  timeout: { ...NETWORK },
  gateway: { ...NETWORK, retryable: true },
  'service-error': { ...SERVICE, spoilsBatch: true },
  'rejected-request': QUESTION,
  'rejected-question': { ...QUESTION, lastKnownAnswer: false },
  'refused-request': QUESTION,
  'not-found': QUESTION,
  'too-large': QUESTION,
  unauthorized: CREDENTIALS,
  forbidden: CREDENTIALS,
  'unexpected-status': { ...SERVICE, spoilsBatch: true },
  unreadable: { ...SERVICE, spoilsBatch: true, errorCode: 'PARSE_ERROR' },
  item: { ...QUESTION, spoilsBatch: false },
  credentials: CREDENTIALS,
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

export function rejectsCredentials({ kind }: { readonly kind: FailureKind }): boolean {
  return kind === 'unauthorized' || kind === 'forbidden';
}

export function policyOf({ kind }: { readonly kind: FailureKind }): FailurePolicy {
  return FAILURES[kind];
}
