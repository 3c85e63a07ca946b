import { outsideRequests } from '../../base/time/background-work.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import { policyOf } from '../../model/failure.js';
import type { ServiceHealth } from '../../remote/health/service-health.js';
import type { UncheckedHealth } from '../../remote/health/unchecked-health.js';
import { failsToAnswer } from '../diagnostics/health-log.js';
import type { ProviderSnapshots } from './provider-snapshots.js';

/** Tells the service's health about the outcome of each poll of the snapshot. */
export function learnFromPolls(
  health: Pick<UncheckedHealth, 'polled' | 'watched'>,
  { listen }: Pick<Diagnostics, 'listen'>,
): void {
  listen('snapshot-polled', ({ failure }) => {
    health.polled(failure);
  });
  listen('watch-changed', ({ state, failure }) => {
    health.watched(state, failure);
  });
}

/**
 * Polls when the service answers again. Without this poll, the provider would be READY up to an interval before it sees
 * the changes that were made during the outage.
 */
export function pollAfterOutage(
  snapshots: ProviderSnapshots | undefined,
  { listen }: Pick<Diagnostics, 'listen'>,
): void {
  listen('health-changed', ({ before, after, starting }) => {
    if (failsToAnswer(before) && !failsToAnswer(after) && !starting) snapshots?.poll();
  });
}

/**
 * Checks the credentials when a poll says that they were rejected. In-process, or as long as the cache knows all
 * answers, only polls show that a token was revoked. The check finds out whether the service refuses only the snapshot.
 * The returned function gives the promise of the last check.
 */
export function checkingCredentials(
  { checkCredentials }: Pick<ServiceHealth, 'checkCredentials'>,
  hasSnapshot: () => boolean,
  { listen }: Pick<Diagnostics, 'listen'>,
): () => Promise<void> | undefined {
  let checking: Promise<void> | undefined;
  listen('snapshot-polled', ({ failure }) => {
    if (failure === undefined || policyOf(failure).cause !== 'credentials' || !hasSnapshot()) return;
    checking = outsideRequests(checkCredentials);
  });
  return () => checking;
}
