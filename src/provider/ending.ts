import { CLOSE_MS, orLate } from '../base/time/in-time.js';
import type { Log } from '../model/events/reporter.js';
import type { Clock } from '../base/time/clock.js';
import type { Tracking } from './tracking/tracking.js';

/** Waits for what a close has to end, but not for ever, because a store may hang. Then ends tracking. Never rejects. */
export async function ended(
  parts: readonly (Promise<unknown> | undefined)[],
  tracking: Tracking | undefined,
  logger: Log<'warn'>,
  clock: Clock,
): Promise<void> {
  const all = Promise.all([...parts, tracking?.flush()]);
  if ((await orLate(all, CLOSE_MS, clock)) === 'late') logger.warn(NOT_ENDED);
  // Without a time limit of its own: what it loses must be counted before the close ends, as the process may exit then.
  tracking?.close();
}

const NOT_ENDED = `The provider is closed, although its store, a connection or tracking.send has not ended within ${CLOSE_MS} ms`;
