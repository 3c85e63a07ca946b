import { failed, UNANSWERED, type Answer, type Deadline, type Question } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';

/**
 * A question that has no answer yet, with its deadline and the function that passes the answer to the question's
 * callers.
 */
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
