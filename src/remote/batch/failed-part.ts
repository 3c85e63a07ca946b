import { isFailure, type BatchOutcome, type Question } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import { EXTRA_AT_ONCE } from './extra-requests.js';
import { answerEach, failEach, type PendingQuestion } from './pending-question.js';

/** Questions of a failed request, and the failure, which one of the request's questions can have caused. */
export interface FailedPart {
  readonly asked: readonly PendingQuestion[];
  readonly failure: Failure;
}

/**
 * Passes the outcome of a request to the callers of its questions. If the request failed for a reason that one of its
 * questions can have caused, no caller gets anything yet, and the function returns the questions together with the
 * failure.
 */
export function settled(asked: readonly PendingQuestion[], outcome: BatchOutcome): FailedPart | undefined {
  if (!isFailure(outcome)) answerEach(asked, outcome);
  else if (policyOf(outcome).spoilsBatch) return { asked, failure: outcome };
  else failEach(asked, outcome);
  return undefined;
}

export function fail({ asked, failure }: FailedPart): void {
  failEach(asked, failure);
}

/**
 * A batch that has failed is usually cut into this many parts. With two parts instead of four, finding one question
 * would take as many requests, but twice the time.
 */
const PARTS = 4;

/**
 * Usually cuts questions into at most four parts, or into fewer parts, but at least two, if fewer extra requests are
 * left. After a time-out, the function makes up to as many parts as extra requests can be under way at once, because
 * there is no time to cut the parts again.
 */
export function partsOf(
  { asked, failure }: FailedPart,
  requests: number,
): readonly (readonly PendingQuestion[])[] {
  const count = Math.min(failure.kind === 'timeout' ? EXTRA_AT_ONCE : PARTS, Math.max(2, requests));
  const size = Math.ceil(asked.length / count);
  const parts = Array.from({ length: count }, (_, at) => asked.slice(at * size, (at + 1) * size));
  return parts.filter(({ length }) => length > 0);
}

/** Returns the largest number of requests that are needed to find the one question that makes a part fail. */
export function requestsToEnd({ asked }: FailedPart): number {
  return 2 * Math.ceil(Math.log2(asked.length));
}

/**
 * If all questions are about the same flag, returns one of these questions. Returns `undefined` if the questions are
 * about several flags.
 */
export function commonFlag(asked: readonly PendingQuestion[]): Question | undefined {
  const [first] = asked;
  return asked.every(({ question }) => question.flag === first?.question.flag) ? first?.question : undefined;
}
