import type { EvaluationContext } from '@openfeature/server-sdk';
import { isPromiseLike } from '../base/text/describe.js';
import { checkContext } from '../options/check-arguments.js';
import { systemClock } from '../base/time/clock.js';
import { inTime } from '../base/time/in-time.js';

const CONTEXT_WITHIN_MS = 1_000;

export async function givenContext(
  given: EvaluationContext | PromiseLike<EvaluationContext>,
  owner: string,
): Promise<EvaluationContext> {
  const late = () => new Error(`${owner}: context has not settled within ${CONTEXT_WITHIN_MS} ms`);
  const context = isPromiseLike(given) ? await inTime(given, CONTEXT_WITHIN_MS, systemClock, late) : given;
  checkContext(`${owner}: context`, context);
  return context;
}
