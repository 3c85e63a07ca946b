import { type Clock, oneTimer } from '../../base/time/clock.js';
import type { Watch } from '../watch/watch.js';

/**
 * For this many milliseconds, the provider goes on polling for a change that the stream has announced. These 20 s are
 * usually enough, because Flipt can announce a change up to 15 s before Flipt serves the change.
 */
const WITHIN_MS = 20_000;
const DELAY_MS = { first: 100, longest: 2_000 };

/**
 * Polls until Flipt serves the snapshot that the stream has announced, but for about 20 s at most. One poll is not
 * enough, because the event of a change can come before Flipt serves that change.
 */
export function openAnnouncements(
  { poll, snapshot, sparesForMs }: Pick<Watch, 'poll' | 'snapshot' | 'sparesForMs'>,
  clock: Clock,
) {
  /**
   * The version that was announced last, and the time until which the provider polls for that version. The target is
   * `undefined` if the provider does not poll for any version.
   */
  let target: { readonly digest: string; readonly until: number } | undefined;
  const delay = oneTimer(clock);
  /** The time at which the last poll for an announced version began. */
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
    // Flipt usually answers a poll with the status 304 as long as it does not serve the announced change. If Flipt
    // answers with a whole snapshot, the provider waits before the next poll, so that polls do not cost Flipt too much.
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
      // Many events in a short time must not cause as many polls, so a poll waits if the last one has just begun.
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
