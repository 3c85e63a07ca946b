import { outsideRequests } from '../../base/time/background-work.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import { policyOf } from '../../model/failure.js';
import type { ServiceHealth } from '../../remote/health/service-health.js';
import type { UncheckedHealth } from '../../remote/health/unchecked-health.js';
import { failsToAnswer } from '../diagnostics/health-log.js';
import type { ProviderSnapshots } from './provider-snapshots.js';

/** The service's health learns from the polls of the snapshot. */
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

/** Polls when the service answers again: otherwise READY would come up to an interval before the outage's changes. */
export function pollAfterOutage(
  snapshots: ProviderSnapshots | undefined,
  { listen }: Pick<Diagnostics, 'listen'>,
): void {
  listen('health-changed', ({ before, after, starting }) => {
    if (failsToAnswer(before) && !failsToAnswer(after) && !starting) snapshots?.poll();
  });
}

/**
 * In-process, or as long as the cache knows all answers, only polls show that a token was revoked. A check distinguishes
 * that from a service that refuses only the snapshot. The result ends with the last check.
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
