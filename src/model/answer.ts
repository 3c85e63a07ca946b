import type { Failure } from './failure.js';
import type { Question } from './question.js';

/**
 * The service's reason, without its suffix `_EVALUATION_REASON`. A later service may send other words than these four.
 */
export type ServiceReason = 'MATCH' | 'DEFAULT' | 'FLAG_DISABLED' | 'UNKNOWN' | (string & {});

/** An answer about a variant flag. */
export interface VariantAnswer {
  readonly kind: 'variant';
  readonly match: boolean;
  /** The variant's key, `''` if there is none. */
  readonly variant: string;
  /** JSON text as the service wrote it; `''` or `null` if the variant has none. */
  readonly attachment: string;
  readonly reason: ServiceReason;
  readonly segmentKeys: readonly string[];
  readonly requestId: string;
}

/** An answer about a boolean flag. */
export interface BooleanAnswer {
  readonly kind: 'boolean';
  readonly enabled: boolean;
  readonly reason: ServiceReason;
  /** `undefined` if the service did not send the member. Only a list that was sent, and is empty, means a split. */
  readonly segmentKeys: readonly string[] | undefined;
  readonly requestId: string;
}

/** The flag, or its namespace, does not exist. */
export interface MissingAnswer {
  readonly kind: 'missing';
}

/** There is no answer. */
export interface FailedAnswer {
  readonly kind: 'failed';
  readonly failure: Failure;
}

/** An answer that gives a value. */
export type ValueAnswer = VariantAnswer | BooleanAnswer;
export type KnownAnswer = ValueAnswer | MissingAnswer;
export type Answer = KnownAnswer | FailedAnswer;

/**
 * When the last caller gives up, in the clock's milliseconds. Callers that join the question may move it to a later
 * time.
 */
export type Deadline = () => number;
/**
 * Never rejects: a failure is a {@link FailedAnswer}. Without a deadline, callers wait until it settles. `signal` ends
 * what was begun for this question alone.
 */
export type Ask = (question: Question, deadline?: Deadline, signal?: AbortSignal) => Promise<Answer>;
/** One answer for each question of a request, in their order, or the failure of the whole request. */
export type BatchOutcome = readonly Answer[] | Failure;
/** Sends one request. `signal` ends it. */
export type AskAtOnce = (questions: readonly Question[], signal?: AbortSignal) => Promise<BatchOutcome>;

export function failed(failure: Failure): FailedAnswer {
  return { kind: 'failed', failure };
}

/** Whether a whole request has failed. */
export function isFailure(outcome: BatchOutcome): outcome is Failure {
  return 'kind' in outcome;
}

/** The failure of a question that the service's answer leaves out. */
export const UNANSWERED: Failure = { kind: 'unreadable', message: 'Flipt left this question unanswered' };

/**
 * Whether a boolean flag's threshold applied. Then the service sends an empty list of segments; a rollout to segments
 * names them.
 */
export function isSplit(answer: Answer): boolean {
  return answer.kind === 'boolean' && answer.reason === 'MATCH' && answer.segmentKeys?.length === 0;
}
