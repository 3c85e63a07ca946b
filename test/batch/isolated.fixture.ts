import { batched } from '../../src/batch/batched.js';
import { SILENT } from '../../src/diagnostics/diagnostics.js';
import { isolating, type Service } from '../../src/batch/isolate.js';
import { failureKindOf } from '../../src/http/status.js';
import type { Answer, AskAtOnce } from '../../src/model/answer.js';
import type { Failure } from '../../src/model/failure.js';
import type { Question } from '../../src/model/question.js';
import { manualClock } from '../clock.fixture.js';
import { variantAnswer } from '../provider/mapping/answers.fixture.js';

export const spoilt = (status: number): Failure => ({
  kind: failureKindOf(status),
  message: `status ${status}`,
});
export const answerOf = ({ flag }: Question): Answer => variantAnswer({ variant: `of ${flag}` });

const SETTINGS = { maxBytes: 1_000, maxConcurrent: 8, maxWaiting: 1_000 };

/** The layer over a service that fails each batch with one of the culprits in it. */
export function setUp(
  fails: (asked: readonly Question[]) => number | undefined,
  more: Partial<Service> = {},
  maxItems = 64,
) {
  const clock = manualClock();
  const requests: string[][] = [];
  const askAtOnce: AskAtOnce = (questions) => {
    requests.push(questions.map(({ flag }) => flag));
    const status = fails(questions);
    return Promise.resolve(status === undefined ? questions.map(answerOf) : spoilt(status));
  };
  const serviceFailures: Failure[] = [];
  const failed = (failure: Failure) => {
    serviceFailures.push(failure);
  };
  const service = { isWell: () => true, failed, ...more };
  const isolated = isolating(askAtOnce, service, clock, SILENT);
  const layer = batched(isolated, { ...SETTINGS, maxItems }, { empty: 0, of: () => 1 }, clock, SILENT);
  const ask = async (questions: readonly Question[]): Promise<readonly Answer[]> => {
    const asked = questions.map((one) => layer.ask(one));
    await clock.settle();
    return Promise.all(asked);
  };
  return { clock, ask, requests, serviceFailures };
}

export const spoiltBy =
  (status: number, ...culprits: string[]) =>
  (questions: readonly Question[]) =>
    questions.some(({ flag }) => culprits.includes(flag)) ? status : undefined;
