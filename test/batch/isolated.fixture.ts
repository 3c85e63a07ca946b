import { vi } from 'vitest';
import { isolating, type Service } from '../../src/batch/isolate.js';
import { failureKindOf } from '../../src/http/status.js';
import { failed, UNANSWERED, type Answer, type AskAtOnce } from '../../src/model/answer.js';
import type { Failure } from '../../src/model/failure.js';
import type { Question } from '../../src/model/question.js';
import { manualClock } from '../clock.fixture.js';
import { variantAnswer } from '../provider/mapping/answers.fixture.js';

export const spoilt = (status: number): Failure => ({
  kind: failureKindOf(status),
  message: `status ${status}`,
});
export const answerOf = ({ flag }: Question): Answer => variantAnswer({ variant: `of ${flag}` });

/** The layer over a service that fails each batch with one of the culprits in it. */
export function setUp(
  fails: (asked: readonly Question[]) => number | undefined,
  more: Partial<Service> = {},
) {
  const clock = manualClock();
  const requests: string[][] = [];
  const askAtOnce: AskAtOnce = (questions) => {
    requests.push(questions.map(({ flag }) => flag));
    const status = fails(questions);
    return Promise.resolve(status === undefined ? questions.map(answerOf) : spoilt(status));
  };
  const serviceFailed = vi.fn<(failure: Failure) => void>();
  const service = { isWell: () => true, failed: serviceFailed, ...more };
  const { askMany, laneOf } = isolating(askAtOnce, service, clock);
  /** A request for each lane, as the batches make them. */
  const ask = async (questions: readonly Question[]): Promise<readonly Answer[]> => {
    const lanes = new Map<string, Question[]>();
    for (const one of questions) lanes.set(laneOf(one), [...(lanes.get(laneOf(one)) ?? []), one]);
    const answered = await Promise.all(
      [...lanes.values()].map(async (some) => {
        const answers = await askMany(some);
        return some.map((one, at) => [one, answers[at]] as const);
      }),
    );
    const answers = new Map(answered.flat());
    return questions.map((one) => answers.get(one) ?? failed(UNANSWERED));
  };
  return { clock, ask, requests, serviceFailed };
}

export const spoiltBy =
  (status: number, ...culprits: string[]) =>
  (questions: readonly Question[]) =>
    questions.some(({ flag }) => culprits.includes(flag)) ? status : undefined;
