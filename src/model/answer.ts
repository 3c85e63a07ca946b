import type { Failure } from './failure.js';
import type { Question } from './question.js';

/** The service's reason, without its suffix `_EVALUATION_REASON`. Other words than these four may come. */
export type ServiceReason = 'MATCH' | 'DEFAULT' | 'FLAG_DISABLED' | 'UNKNOWN' | (string & {});

/** An answer about a variant flag. */
export interface VariantAnswer {
  readonly kind: 'variant';
  readonly match: boolean;
  /** The variant's key, `''` where there is none. */
  readonly variant: string;
  /** JSON text as the service wrote it; `''` or `null` where the variant has none. */
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
  /** `undefined` where the service did not send the member: only a present, empty list means a split. */
  readonly segmentKeys: readonly string[] | undefined;
  readonly requestId: string;
}

/** The flag, or its namespace, does not exist. */
export interface MissingAnswer {
  readonly kind: 'missing';
}

/** Nothing was learned. */
export interface FailedAnswer {
  readonly kind: 'failed';
  readonly failure: Failure;
}

export type KnownAnswer = VariantAnswer | BooleanAnswer | MissingAnswer;
export type Answer = KnownAnswer | FailedAnswer;

/** When the last caller gives up, in the clock's milliseconds. Callers that join the question postpone it. */
export type Deadline = () => number;
/** Never rejects: what went wrong is a {@link FailedAnswer}. Without a deadline, callers wait as long as it takes. */
export type Ask = (question: Question, deadline?: Deadline) => Promise<Answer>;
/** Answers in the order of the questions, one each. Never rejects. */
export type AskMany = (questions: readonly Question[]) => Promise<readonly Answer[]>;
/** One request: answers in the order of the questions, one each, or what kept the whole request from them. */
export type AskAtOnce = (questions: readonly Question[]) => Promise<readonly Answer[] | Failure>;

export function failed(failure: Failure): FailedAnswer {
  return { kind: 'failed', failure };
}

/** Whether a whole request has failed. */
export function isFailure(outcome: readonly Answer[] | Failure): outcome is Failure {
  return 'kind' in outcome;
}

/** For a position that an answer leaves empty. */
export const UNANSWERED: Failure = { kind: 'unreadable', message: 'Flipt left this question unanswered' };

/** A boolean flag's threshold applied: the service then names no segment; a segment's rollout names its own. */
export function isSplit(answer: Answer): boolean {
  return answer.kind === 'boolean' && answer.reason === 'MATCH' && answer.segmentKeys?.length === 0;
}
