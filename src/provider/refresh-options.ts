import { LARGEST_TIMER_MS } from '../base/time/clock.js';
import { isRecord, kindOf } from '../base/text/describe.js';

/** How long a call of `refresh` may take. */
export interface RefreshOptions {
  /**
   * Milliseconds after which the call resolves without its poll, from 1 to 2147483647. A large namespace needs more than
   * the default where the runtime ends the poll with the call. Default `deadlineMs`.
   */
  readonly timeoutMs?: number | undefined;
}

/** `undefined` if none is given. Throws a TypeError about a wrong one, for callers in plain JavaScript. */
export function timeoutOf(options: unknown = {}): number | undefined {
  if (!isRecord(options))
    throw new TypeError(`refresh: expected an object such as { timeoutMs: 5000 }, got ${kindOf(options)}`);
  const { timeoutMs } = options;
  if (timeoutMs === undefined) return undefined;
  if (typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= LARGEST_TIMER_MS) return timeoutMs;
  const got = typeof timeoutMs === 'number' ? timeoutMs : kindOf(timeoutMs);
  throw new TypeError(`refresh: timeoutMs: expected milliseconds from 1 to ${LARGEST_TIMER_MS}, got ${got}`);
}
