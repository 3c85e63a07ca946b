import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import type { Fetched } from '../fetch-snapshot.js';
import { UnansweredAsker } from '../unanswered-asker.js';
import { nextDelayMs } from './poll-schedule.js';
import type { Watch, WatchSettings } from './watch.js';
import { watchedSnapshot } from './watched-snapshot.js';

/**
 * This value of `random` leaves the interval between polls unchanged. The interval between polls needs no jitter,
 * because calls come at different times in each instance.
 */
const NO_JITTER = 0.5;

/** The failure of a poll whose call has ended before Flipt had sent the snapshot. */
const CUT: Failure = {
  kind: 'deadline',
  message:
    'a call ended before Flipt had sent the snapshot; give it more time with provider.refresh({ timeoutMs })',
};
const CUT_SHORT: Fetched = {
  kind: 'failed',
  failure: CUT,
  offersNone: false,
  isUnknown: false,
  isSilent: false,
  retryAfterMs: undefined,
};

/**
 * Makes a watch for a runtime in which nothing can run between calls. Only `refresh` polls, and the code that calls
 * `refresh` makes sure that only one poll runs at a time. `poll` sends no request itself, but makes the next call of
 * `refresh` poll. If a call ends before Flipt has answered its poll, the next call of `refresh` polls again.
 */
export function watchOfCallers(settings: WatchSettings, runtime: Runtime): Watch {
  const { fetch, pollMs } = settings;
  const { clock } = runtime;
  const { state, known, asks, take, adopt, isClosed, close, ...readings } = watchedSnapshot(
    settings,
    runtime,
    true,
  );
  let dueAt = clock.now();
  /** Whether the next `refresh` should poll although the interval is not over. */
  let isWanted = false;
  const unanswered = new UnansweredAsker();

  const isDue = () =>
    fetch !== undefined &&
    !isClosed() &&
    (isWanted || clock.now() >= dueAt) &&
    clock.now() >= state().notBefore;

  return {
    ...readings,
    isDue,
    nextPollAt: () => (fetch === undefined || isClosed() ? undefined : clock.date() + dueAt - clock.now()),
    sparesForMs: () => 0,
    pollFirst: () => Promise.resolve(),
    poll(asker) {
      isWanted = true;
      unanswered.add(asker);
      return Promise.resolve();
    },
    async adopt(late) {
      if (await adopt(late)) isWanted = true;
    },
    async refresh(signal) {
      readings.assess();
      if (fetch === undefined || !isDue() || signal?.aborted) return;
      const wasWanted = isWanted;
      isWanted = false;
      const asker = unanswered.take();
      asks();
      const startedAt = clock.now();
      const asked = known();
      const fetched = await fetch(asked, asker);
      unanswered.ended(asker, fetched);
      const isCut = signal?.aborted === true && fetched.kind === 'failed';
      await take(isCut ? CUT_SHORT : fetched, asked?.etag !== undefined, clock.now() - startedAt);
      if (isCut) isWanted ||= wasWanted;
      else dueAt = clock.now() + nextDelayMs(state(), pollMs, clock.now(), NO_JITTER);
      readings.assess();
    },
    close,
  };
}
