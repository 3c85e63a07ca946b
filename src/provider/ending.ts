import { CLOSE_MS, orLate } from '../base/time/in-time.js';
import type { Log } from '../model/events/reporter.js';
import type { Clock } from '../base/time/clock.js';
import type { Tracking } from './tracking/tracking.js';

/**
 * Waits until the parts of a closing provider have ended, but at most for `CLOSE_MS` milliseconds, because a user's
 * store can hang. After the wait, the function closes `tracking`. The promise of `ended` never rejects, provided that
 * no promise in `parts` rejects.
 */
export async function ended(
  parts: readonly (Promise<unknown> | undefined)[],
  tracking: Tracking | undefined,
  logger: Log<'warn'>,
  clock: Clock,
): Promise<void> {
  const all = Promise.all([...parts, tracking?.flush()]);
  if ((await orLate(all, CLOSE_MS, clock)) === 'late') logger.warn(NOT_ENDED);
  // `tracking.close` counts the tracking events that are lost. The count of lost events must be complete when the
  // promise of `ended` resolves, because the app might then exit. `tracking.close` itself does not wait for anything.
  tracking?.close();
}

const NOT_ENDED = `The provider is closed, although its store, a connection or tracking.send has not ended within ${CLOSE_MS} ms`;
