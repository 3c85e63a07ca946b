import { vi } from 'vitest';
import { Batching } from '../../../src/remote/batch/batching.js';
import { Isolation, type IsolatedService } from '../../../src/remote/batch/isolation.js';
import { failureKindOf } from '../../../src/http/reply.js';
import type { Answer, AskAtOnce, Question } from '../../../src/model/answer.js';
import type { Failure } from '../../../src/model/failure.js';
import { question } from '../cache/questions.fixture.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { variantAnswer } from '../../provider/mapping/answers.fixture.js';

export const spoilt = (status: number): Failure => ({
  kind: failureKindOf(status),
  message: `status ${status}`,
});
export const answerOf = ({ flag }: Question): Answer => variantAnswer({ variant: `of ${flag}` });

/** Each question counts as one byte. */
export const SIZES = { empty: 0, of: () => 1 };
const SETTINGS = { maxBytes: 1_000, maxConcurrent: 8, maxWaiting: 1_000, sizes: SIZES };

/** Makes a service that is well, so that its checks pass. Parts are sent like batches. */
export function serviceOf(ask: AskAtOnce, more: Partial<IsolatedService> = {}): IsolatedService {
  return {
    ask,
    askPart: ask,
    refusal: () => undefined,
    check: () => Promise.resolve(undefined),
    serviceFailed: () => undefined,
    ...more,
  };
}

/** Makes the layer over a service that at once fails each batch with one of these flags in it. */
export function setUp(
  fails: (asked: readonly Question[]) => number | undefined,
  more: Partial<IsolatedService> = {},
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
  const serviceFailed = (failure: Failure) => {
    serviceFailures.push(failure);
  };
  const check = vi.fn(() => {
    const status = fails([question('')]);
    return Promise.resolve(status === undefined ? undefined : spoilt(status));
  });
  const runtime = runtimeOf(clock);
  const isolation = new Isolation(serviceOf(askAtOnce, { check, serviceFailed, ...more }), runtime);
  const layer = new Batching(isolation, { ...SETTINGS, maxItems }, runtime);
  const ask = async (questions: readonly Question[]): Promise<readonly Answer[]> => {
    const asked = questions.map((one) => layer.ask(one));
    await clock.settle();
    return Promise.all(asked);
  };
  return { clock, ask, requests, check, serviceFailures };
}

export const spoiltBy =
  (status: number, ...bad: string[]) =>
  (questions: readonly Question[]) =>
    questions.some(({ flag }) => bad.includes(flag)) ? status : undefined;
