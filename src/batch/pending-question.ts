import {
  failed,
  isFailure,
  UNANSWERED,
  type Answer,
  type BatchOutcome,
  type Deadline,
  type Question,
} from '../model/answer.js';
import { policyOf, type Failure } from '../model/failure.js';

/** A question with the callers that wait for it. */
export interface PendingQuestion {
  readonly question: Question;
  readonly deadline: Deadline;
  readonly answer: (answer: Answer) => void;
}

export function answerEach(asked: readonly PendingQuestion[], answers: readonly Answer[]): void {
  asked.forEach(({ answer }, at) => {
    answer(answers[at] ?? failed(UNANSWERED));
  });
}

export function failEach(asked: readonly PendingQuestion[], failure: Failure): void {
  for (const { answer } of asked) answer(failed(failure));
}

export function questionsOf(asked: readonly PendingQuestion[]): readonly Question[] {
  return asked.map(({ question }) => question);
}

/** Gives each question its answer. If one of them may have spoilt the request for all, `search` does. */
export async function settle(
  asked: readonly PendingQuestion[],
  outcome: BatchOutcome,
  search: (asked: readonly PendingQuestion[], failure: Failure) => void | Promise<void>,
): Promise<void> {
  if (!isFailure(outcome)) answerEach(asked, outcome);
  else if (asked.length > 1 && policyOf(outcome).spoilsBatch) await search(asked, outcome);
  else failEach(asked, outcome);
}
