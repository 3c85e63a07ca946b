import { outsideRequests } from '../../base/time/background-work.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import { policyOf } from '../../model/failure.js';
import type { ServiceHealth } from '../../remote/health.js';

/**
 * Passes the outcome of each poll on to `health`. If a poll has failed because of the credentials and there is a
 * snapshot, a health check finds out whether Flipt rejects the token everywhere, or only for the snapshot: if no flag
 * needs a request, only polls show that a token was revoked. Returns a function that returns the last such check.
 */
export function passPollsToHealth(
  health: ServiceHealth,
  hasSnapshot: () => boolean,
  { listen }: Pick<Diagnostics, 'listen'>,
): () => Promise<unknown> | undefined {
  let checking: Promise<unknown> | undefined;
  listen('snapshot-polled', ({ failure }) => {
    health.polled(failure);
    const isRejected = failure !== undefined && policyOf(failure).cause === 'credentials';
    if (isRejected && hasSnapshot() && !health.problems().has('credentials-rejected'))
      checking = outsideRequests(() => health.check());
  });
  listen('watch-changed', ({ state, failure }) => {
    health.watched(state, failure);
  });
  return () => checking;
}
