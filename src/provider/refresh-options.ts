import { LARGEST_TIMER_MS } from '../base/time/clock.js';
import { isRecord, kindOf } from '../base/text/describe.js';

/** The options of the provider's method `refresh`. */
export interface RefreshOptions {
  /**
   * The number of milliseconds after which the promise of `refresh` resolves even if the poll has not ended. The number
   * can be from 1 to 2147483647. A large namespace can need a longer time than the default. Default `deadlineMs`.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * Returns the option `timeoutMs`, or `undefined` if it is not set. Throws a TypeError if a value is wrong, because
 * callers in plain JavaScript can pass anything.
 */
export function timeoutOf(options: unknown = {}): number | undefined {
  if (!isRecord(options))
    throw new TypeError(`refresh: expected an object such as { timeoutMs: 5000 }, got ${kindOf(options)}`);
  const { timeoutMs } = options;
  if (timeoutMs === undefined) return undefined;
  if (typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= LARGEST_TIMER_MS) return timeoutMs;
  const got = typeof timeoutMs === 'number' ? timeoutMs : kindOf(timeoutMs);
  throw new TypeError(`refresh: timeoutMs: expected milliseconds from 1 to ${LARGEST_TIMER_MS}, got ${got}`);
}
