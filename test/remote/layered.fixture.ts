import { loopTime } from '../../src/base/time/loop-time.js';
import { cachedAnswers, type AnswersSettings } from '../../src/remote/answers.js';
import { openDiagnostics } from '../../src/model/events/reporter.js';
import { failed, type Answer, type Resolution } from '../../src/model/answer.js';
import type { Failure } from '../../src/model/failure.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { booleanAnswer } from '../provider/mapping/answers.fixture.js';
import { askedByHand, question } from './questions.fixture.js';

export const CACHE = {
  freshForMs: 1_000,
  staleForMs: 500,
  staleOnErrorForMs: 10_000,
  negativeForMs: 100,
  maxEntries: 100,
  maxBytes: 1024 * 1024,
};
export const on = booleanAnswer({ enabled: true });
export const off = booleanAnswer({ enabled: false });
export const DOWN: Failure = { kind: 'connection', message: 'refused' };

/**
 * Makes the layer over answers that the test gives. `ask` does what the provider does: it looks for a fresh answer
 * first, and then asks.
 */
export function setUp(more: Partial<AnswersSettings> = {}) {
  const clock = manualClock();
  const { ask, asked } = askedByHand();
  const diagnostics = openDiagnostics();
  const settings = {
    cache: CACHE,
    deadlineMs: 200,
    time: loopTime(clock),
    refusal: () => undefined,
    ...more,
  };
  const layer = cachedAnswers(ask, settings, runtimeOf(clock, diagnostics));
  const resolve = (flag = 'flag') => layer.fresh(flag) ?? layer.resolve(flag, question(flag));
  const answer = async (what: Answer) => {
    asked.at(-1)?.answer(what);
    await clock.settle();
  };
  /** Asks a question, and answers it at once. */
  const learn = async (what: Answer, flag = 'flag') => {
    const resolved = resolve(flag);
    await answer(what);
    return resolved;
  };
  return { clock, asked, diagnostics, layer, resolve, answer, learn };
}

export const fromService = (answer: Answer): Resolution => ({
  answer,
  source: 'service',
  ageMs: 0,
  stale: false,
});
export const fromCache = (answer: Answer, ageMs: number, stale = false): Resolution => ({
  answer,
  source: 'cache',
  ageMs,
  stale,
});
export const failure = (what: Failure): Resolution => fromService(failed(what));
