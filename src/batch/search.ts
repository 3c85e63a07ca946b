import { failed, isFailure, type Answer, type AskAtOnce } from '../model/answer.js';
import { traitsOf, type Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';

export interface Found {
  /** In the order of the questions. */
  readonly answers: readonly Answer[];
  /** Whether any request of the search succeeded. */
  readonly succeeded: boolean;
  readonly culprits: readonly Question[];
  /**
   * Set where both halves failed alike in a way that the service itself may have caused, and nothing else has succeeded: it is the service, not a question.
   * (Two broken flags beside each other look the same, but for what has succeeded around them.)
   */
  readonly serviceFailure: Failure | undefined;
}

/**
 * Asks halves of a batch that failed as a whole, until those that spoil it stand alone.
 * Questions about one flag stay in one half as long as they can: in both, a broken flag would look like a broken service.
 * So parts may be uneven: for one culprit among n it takes at most 3 · log2(n) + 2 requests, and 2 · ⌈log2(n)⌉ where
 * each question is about another flag. Whatever happens, a batch takes 4 · log2(n) + 4 with its first request.
 */
export async function findCulprits(
  askAtOnce: AskAtOnce,
  questions: readonly Question[],
  whole: Failure,
): Promise<Found> {
  const answers = new Map<Question, Answer>();
  const culprits: Question[] = [];
  const fail = (some: readonly Question[], failure: Failure) => {
    for (const question of some) answers.set(question, failed(failure));
  };
  let succeeded = false;
  let serviceFailure: Failure | undefined;
  let requestsLeft = Math.floor(4 * Math.log2(questions.length) + 4) - 1;
  const spoilt = [{ questions: byFlag(questions), failure: whole }];

  for (let next = spoilt.pop(); next !== undefined; next = spoilt.pop()) {
    if (requestsLeft < 2 || serviceFailure !== undefined) {
      fail(next.questions, next.failure);
      continue;
    }
    requestsLeft -= 2;
    const middle = cutOf(next.questions);
    const halves = [next.questions.slice(0, middle), next.questions.slice(middle)];
    const outcomes: (readonly Answer[] | Failure)[] = [];
    for (const half of halves) outcomes.push(await askAtOnce(half));

    if (!succeeded && outcomes.every((outcome) => isFailure(outcome) && maySpeakForService(outcome))) {
      serviceFailure = next.failure;
      fail(next.questions, next.failure);
      continue;
    }
    for (const [at, half] of halves.entries()) {
      const outcome = outcomes[at] ?? whole;
      if (!isFailure(outcome)) {
        succeeded = true;
        half.forEach((question, position) => answers.set(question, outcome[position] ?? failed(whole)));
      } else if (half.length > 1 && traitsOf(outcome).spoilsBatch) {
        spoilt.push({ questions: half, failure: outcome });
      } else {
        fail(half, outcome);
        if (traitsOf(outcome).spoilsBatch) culprits.push(...half);
      }
    }
  }
  return {
    answers: questions.map((question) => answers.get(question) ?? failed(whole)),
    succeeded,
    culprits,
    serviceFailure,
  };
}

/** Beside each other what is about one flag, otherwise in the order that they came. */
function byFlag(questions: readonly Question[]): readonly Question[] {
  const flags = new Map<string, Question[]>();
  for (const question of questions) {
    const some = flags.get(question.flag);
    if (some === undefined) flags.set(question.flag, [question]);
    else some.push(question);
  }
  return [...flags.values()].flat();
}

/** Where to halve: at the border between two flags that is nearest to the middle; in the middle of a single flag. */
function cutOf(questions: readonly Question[]): number {
  const middle = Math.ceil(questions.length / 2);
  const isBorder = (at: number) => at > 0 && questions[at - 1]?.flag !== questions[at]?.flag;
  for (let off = 0; off < middle; off++) {
    if (isBorder(middle - off)) return middle - off;
    if (middle + off < questions.length && isBorder(middle + off)) return middle + off;
  }
  return middle;
}

/** One flag may have caused it, and so may the service: the parts of the batch show which. */
export function maySpeakForService(failure: Failure): boolean {
  return traitsOf(failure).countsForCircuit === 'if-all-parts-fail';
}
