import { type Clock, oneTimer } from '../../base/time/clock.js';
import type { Watch } from '../watch/watch.js';

/** Long enough, once the service may be asked, because Flipt announces a change up to 15 s early. */
const WITHIN_MS = 20_000;
const DELAY_MS = { first: 100, longest: 2_000 };

/** Polls until the announced snapshot is served: an event may come before its change can be read. */
export function openAnnouncements(
  { poll, snapshot, sparesForMs }: Pick<Watch, 'poll' | 'snapshot' | 'sparesForMs'>,
  clock: Clock,
) {
  /** The last announced version, and until when to poll for it; `undefined` if there is nothing to do. */
  let target: { readonly digest: string; readonly until: number } | undefined;
  const delay = oneTimer(clock);
  /** When the last poll for an event began. */
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
    // Most of these polls cost a 304. After a whole body, the service is spared.
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
      // An endless stream of events must not become an endless row of polls.
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
