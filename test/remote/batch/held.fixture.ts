import type { BatchSettings } from '../../../src/remote/batch/batch-queue.js';
import { Batching } from '../../../src/remote/batch/batching.js';
import { Isolation, type IsolatedService } from '../../../src/remote/batch/isolation.js';
import type { Answer, AskAtOnce, Question } from '../../../src/model/answer.js';
import type { Failure } from '../../../src/model/failure.js';
import { question } from '../cache/questions.fixture.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { answerOf, serviceOf, SIZES, spoilt } from './isolated.fixture.js';

export interface HeldRequest {
  readonly flags: readonly string[];
  /** Whether the request asks a part of a batch again. */
  readonly extra: boolean;
  /** Ends the request. With a status or a failure, all of its questions fail. */
  readonly end: (failed?: number | Failure) => Promise<void>;
}

/** Makes the layers over requests that the test ends. */
export function held(more: Partial<BatchSettings> = {}, its: Partial<IsolatedService> = {}) {
  const clock = manualClock();
  const requests: HeldRequest[] = [];
  const holding =
    (extra: boolean): AskAtOnce =>
    (questions) =>
      new Promise((resolve) => {
        const end = async (its?: number | Failure) => {
          requests.splice(requests.indexOf(request), 1);
          resolve(typeof its === 'number' ? spoilt(its) : (its ?? questions.map(answerOf)));
          await clock.settle();
        };
        const request = { flags: questions.map(({ flag }) => flag), extra, end };
        requests.push(request);
      });
  const limits = { maxItems: 50, maxBytes: 10_000, maxConcurrent: 8, maxWaiting: 1_000 };
  const runtime = runtimeOf(clock);
  const service = serviceOf(holding(false), { askPart: holding(true), ...its });
  const layer = new Batching(new Isolation(service, runtime), { ...limits, sizes: SIZES, ...more }, runtime);
  const outcomes: string[] = [];
  const askUntil = async (until: number, ...questions: readonly (Question | string)[]) => {
    for (const one of questions) {
      const its = typeof one === 'string' ? question(one) : one;
      const note = ({ kind }: Answer) => outcomes.push(`${its.flag} ${kind === 'failed' ? 'failed' : 'ok'}`);
      void layer.ask(its, () => until).then(note);
    }
    await clock.settle();
  };
  const ask = (...questions: readonly (Question | string)[]) => askUntil(Infinity, ...questions);
  const underWay = (extra: boolean) =>
    requests.filter((one) => one.extra === extra).map(({ flags }) => flags);
  /** Ends the first request that holds the flag. */
  const end = async (flag: string, failed?: number | Failure) => {
    const request = requests.find(({ flags }) => flags.includes(flag));
    if (request === undefined) throw new Error(`no request for ${flag} is under way`);
    await request.end(failed);
  };
  /** Makes the flag fail for everybody. */
  const breakFlag = async (flag: string) => {
    await ask(flag, 'healthy');
    await end(flag, 500);
    await end(flag, 500);
    await end('healthy');
  };
  return {
    clock,
    ask,
    askUntil,
    end,
    breakFlag,
    outcomes,
    batches: () => underWay(false),
    parts: () => underWay(true),
  };
}
