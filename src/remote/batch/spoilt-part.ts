import { isFailure, type BatchOutcome, type Question } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import { EXTRA_AT_ONCE } from './extra-requests.js';
import { answerEach, failEach, type PendingQuestion } from './pending-question.js';

/** Questions that were sent together, and failed together for a reason that one of them can cause. */
export interface SpoiltPart {
  readonly asked: readonly PendingQuestion[];
  readonly failure: Failure;
}

/** Answers the questions, unless one of them may have made them fail together. */
export function settled(asked: readonly PendingQuestion[], outcome: BatchOutcome): SpoiltPart | undefined {
  if (!isFailure(outcome)) answerEach(asked, outcome);
  else if (policyOf(outcome).spoilsBatch) return { asked, failure: outcome };
  else failEach(asked, outcome);
  return undefined;
}

export function fail({ asked, failure }: SpoiltPart): void {
  failEach(asked, failure);
}

/** Parts into which a batch is cut. Halves would take as many requests to find one question, and twice the time. */
const PARTS = 4;

/** Cuts a part. After silence, there is no time for parts of parts: then there are as many as may be asked at once. */
export function partsOf(
  { asked, failure }: SpoiltPart,
  most: number,
): readonly (readonly PendingQuestion[])[] {
  const count = Math.min(failure.kind === 'timeout' ? EXTRA_AT_ONCE : PARTS, Math.max(2, most));
  const size = Math.ceil(asked.length / count);
  const parts = Array.from({ length: count }, (_, at) => asked.slice(at * size, (at + 1) * size));
  return parts.filter(({ length }) => length > 0);
}

/** How many requests find one question in a part, at most. */
export function requestsToEnd({ asked }: SpoiltPart): number {
  return 2 * Math.ceil(Math.log2(asked.length));
}

/** A question about the flag that all of them are about. */
export function commonFlag(asked: readonly PendingQuestion[]): Question | undefined {
  const [first] = asked;
  return asked.every(({ question }) => question.flag === first?.question.flag) ? first?.question : undefined;
}
