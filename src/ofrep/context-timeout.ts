import type { EvaluationContext } from '@openfeature/server-sdk';
import { systemClock } from '../time/clock.js';
import { inTime } from '../time/in-time.js';
import { isPromiseLike } from '../text/describe.js';

/** What the option `context` gives for a request; rejects if that takes longer than the option `contextTimeoutMs`. */
export async function contextInTime(
  given: EvaluationContext | PromiseLike<EvaluationContext>,
  ms: number,
  owner: string,
): Promise<EvaluationContext> {
  // Only a promise needs a timer.
  if (!isPromiseLike(given)) return given;
  const late = () => new Error(`${owner}: context has not settled within ${ms} ms (contextTimeoutMs)`);
  return inTime(given, ms, systemClock, late);
}
