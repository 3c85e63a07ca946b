import { type Clock, oneTimer } from '../../base/time/clock.js';
import type { Watch } from '../watch/watch.js';

/**
 * For this many milliseconds, the provider polls for an announced change. This time is long enough, because Flipt
 * announces a change at most 15 s before it serves it.
 */
const WITHIN_MS = 20_000;
const DELAY_MS = { first: 100, longest: 2_000 };

/** Polls until the announced snapshot is served, because an event may come before Flipt serves its change. */
export function openAnnouncements(
  { poll, snapshot, sparesForMs }: Pick<Watch, 'poll' | 'snapshot' | 'sparesForMs'>,
  clock: Clock,
) {
  /**
   * The last announced version, and until when to poll for it. The target is `undefined` if there is nothing to poll
   * for.
   */
  let target: { readonly digest: string; readonly until: number } | undefined;
  const delay = oneTimer(clock);
  /** When the last poll for an announcement began. */
  let polledAt = -Infinity;

  const pollUntilServed = async (delayMs: number) => {
    polledAt = clock.now();
    await poll('stream');
    if (
      target === undefined ||
      target.digest === snapshot()?.version ||
      clock.now() + delayMs > target.until
    ) {
      target = undefined;
      return;
    }
    const next = Math.min(delayMs * 2, DELAY_MS.longest);
    // Flipt answers most of these polls with a 304. After a whole snapshot, the provider waits as long as the cost of
    // the snapshot demands.
    pollAfter(Math.max(delayMs, sparesForMs()), next);
  };
  const pollAfter = (waitMs: number, delayMs: number) => {
    const run = () => void pollUntilServed(delayMs);
    if (waitMs > 0) delay.set(waitMs, run);
    else run();
  };

  return {
    announced: (digest: string) => {
      if (digest === snapshot()?.version) return;
      // Events that come without end must not cause polls without end.
      const waitMs = Math.max(sparesForMs(), polledAt + DELAY_MS.first - clock.now());
      const isPolling = target !== undefined;
      target = { digest, until: clock.now() + waitMs + WITHIN_MS };
      if (!isPolling) pollAfter(waitMs, DELAY_MS.first);
    },
    close: () => {
      target = undefined;
      delay.stop();
    },
  };
}
