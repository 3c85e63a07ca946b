import { isFailure, type BatchOutcome, type Question } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import { EXTRA_AT_ONCE } from './extra-requests.js';
import { answerEach, failEach, type PendingQuestion } from './pending-question.js';

/** Questions that were sent together, and failed together for a reason that one of them can cause. */
export interface SpoiltPart {
  readonly asked: readonly PendingQuestion[];
  readonly failure: Failure;
}

/**
 * Answers the questions, unless one of them may have made them fail together. In that case it returns the questions as
 * a spoilt part.
 */
export function settled(asked: readonly PendingQuestion[], outcome: BatchOutcome): SpoiltPart | undefined {
  if (!isFailure(outcome)) answerEach(asked, outcome);
  else if (policyOf(outcome).spoilsBatch) return { asked, failure: outcome };
  else failEach(asked, outcome);
  return undefined;
}

export function fail({ asked, failure }: SpoiltPart): void {
  failEach(asked, failure);
}

/** A batch is cut into this many parts. Halves would take as many requests to find one question, and twice the time. */
const PARTS = 4;

/**
 * Cuts a part into smaller ones. If the service was silent, there is no time to cut these again, so there are as many
 * as may be asked at once.
 */
export function partsOf(
  { asked, failure }: SpoiltPart,
  requests: number,
): readonly (readonly PendingQuestion[])[] {
  const count = Math.min(failure.kind === 'timeout' ? EXTRA_AT_ONCE : PARTS, Math.max(2, requests));
  const size = Math.ceil(asked.length / count);
  const parts = Array.from({ length: count }, (_, at) => asked.slice(at * size, (at + 1) * size));
  return parts.filter(({ length }) => length > 0);
}

/** Returns how many requests are needed at most to find one question in a part. */
export function requestsToEnd({ asked }: SpoiltPart): number {
  return 2 * Math.ceil(Math.log2(asked.length));
}

/** Returns a question about the flag that all of them are about; `undefined` if they are about several flags. */
export function commonFlag(asked: readonly PendingQuestion[]): Question | undefined {
  const [first] = asked;
  return asked.every(({ question }) => question.flag === first?.question.flag) ? first?.question : undefined;
}
