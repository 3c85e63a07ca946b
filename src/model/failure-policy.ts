import type { FailureKind } from './failure.js';

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
  /** One question may have caused the failure of its whole batch. */
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
const CREDENTIALS: FailurePolicy = { ...SERVICE, cause: 'credentials' };
const CALLER: FailurePolicy = { ...SERVICE, cause: 'caller', responded: false, lastKnownAnswer: false };
const PROVIDER: FailurePolicy = { ...SERVICE, cause: 'provider', responded: false };

/** The one place that decides what a failure means. docs/how-it-works.md shows it, and a test compares the two. */
export const FAILURES: Readonly<Record<FailureKind, FailurePolicy>> = {
  connection: { ...SERVICE, responded: false, retryable: true, countsForCircuit: 'yes' },
  'stale-connection': { ...SERVICE, responded: false, retryable: true },
  timeout: { ...SERVICE, responded: false, countsForCircuit: 'yes' },
  blocked: PROVIDER,
  gateway: { ...SERVICE, retryable: true, countsForCircuit: 'yes' },
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
