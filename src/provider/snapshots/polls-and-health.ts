import { outsideRequests } from '../../base/time/background-work.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import { policyOf } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import type { ServiceHealth } from '../../remote/health/service-health.js';
import { failsToAnswer } from '../diagnostics/health-log.js';
import type { ProviderSnapshots } from './provider-snapshots.js';

/** Passes the outcome of each poll of the snapshot on to `health`. */
export function passPollsToHealth(
  health: Pick<ServiceHealth, 'polled' | 'watched'>,
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
 * Lets the first poll come when Flipt has responded to the first batch, or when the first batch has failed. The poll
 * begins at the end of that turn of the event loop, when the answers have reached the app.
 */
export function pollAfterFirstBatch(
  snapshots: ProviderSnapshots | undefined,
  { listen, clock }: Pick<Diagnostics, 'listen'> & Pick<Runtime, 'clock'>,
): void {
  if (snapshots === undefined) return;
  const noMoreBatches = listen('batch-sent', () => {
    noMoreBatches();
    const noMoreAttempts = listen('attempt', () => {
      noMoreAttempts();
      clock.endOfTurn(() => void snapshots.hurry(), 'background');
    });
  });
}

/**
 * Polls the snapshot as soon as Flipt answers again after an outage. Without a poll after the outage, the provider
 * could report READY up to one poll interval before it sees the changes that were made during the outage.
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
 * Calls `checkCredentials`, which can send a health check, when a poll has failed because of the credentials and there
 * is a snapshot. If no flag needs a request, only polls show that a token was revoked. The health check finds out
 * whether Flipt rejects the token everywhere, or only for the snapshot. Returns a function that returns the promise of
 * the last call of `checkCredentials`.
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
