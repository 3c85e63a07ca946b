import { isPromiseLike } from '../../base/text/describe.js';
import { systemClock } from '../../base/time/clock.js';
import { inTime } from '../../base/time/in-time.js';

/**
 * Waits for the context that the option `context` of an adapter has returned for a request. Rejects if the context
 * takes longer than `ms` milliseconds, which the option `contextTimeoutMs` sets.
 */
export async function contextInTime<Context>(
  given: Context | PromiseLike<Context>,
  ms: number,
  owner: string,
): Promise<Context> {
  // A value that is not a promise needs no timer.
  if (!isPromiseLike(given)) return given;
  const late = () => new Error(`${owner}: context has not settled within ${ms} ms (contextTimeoutMs)`);
  return inTime(given, ms, systemClock, late);
}
