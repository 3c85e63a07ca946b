import type { Clock } from '../../time/clock.js';
import type { BodyCost } from '../body-cost.js';
import type { Asker, Fetched, FetchSnapshot, Known } from '../fetch-snapshot.js';
import { isTooSoon } from '../watch/poll-schedule.js';

export const NO_NEWS = { kind: 'no-news' } as const;

/**
 * Asks the service, unless it has asked for a pause. A poll that can wait is not sent either, so soon after the last
 * one, while whole bodies take the service so long.
 */
export function sparedService(fetch: FetchSnapshot, cost: BodyCost, clock: Clock) {
  let polledAt = -Infinity;
  let pausesUntil = -Infinity;
  return async (known: Known | undefined, asker: Asker): Promise<Fetched> => {
    const now = clock.now();
    const mayWait = asker === 'schedule' || asker === 'stream';
    if (now < pausesUntil || (mayWait && isTooSoon(cost.read(), polledAt, now))) return NO_NEWS;
    polledAt = now;
    const fetched = await fetch(known);
    if (fetched.kind === 'failed') pausesUntil = clock.now() + (fetched.retryAfterMs ?? 0);
    return fetched;
  };
}
