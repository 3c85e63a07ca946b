import { LARGEST_TIMER_MS } from '../base/time/clock.js';
import { isRecord, kindOf } from '../base/text/describe.js';

export interface RefreshOptions {
  /** The longest that `refresh` waits. A large namespace can need more than the default. Default `deadlineMs`. */
  readonly timeoutMs?: number | undefined;
}

export function timeoutOf(options: unknown = {}): number | undefined {
  if (!isRecord(options))
    throw new TypeError(`refresh: expected an object such as { timeoutMs: 5000 }, got ${kindOf(options)}`);
  const { timeoutMs } = options;
  if (timeoutMs === undefined) return undefined;
  if (typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= LARGEST_TIMER_MS) return timeoutMs;
  const got = typeof timeoutMs === 'number' ? timeoutMs : kindOf(timeoutMs);
  throw new TypeError(`refresh: timeoutMs: expected milliseconds from 1 to ${LARGEST_TIMER_MS}, got ${got}`);
}
