import type { Runtime } from '../../model/runtime.js';
import { oneTimer, type Clock } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import type { Fetched } from '../fetch-snapshot.js';
import { stronger, type Asker } from '../tag-trust.js';
import { nextDelayMs, nextLookMs, sparedForMs } from './poll-schedule.js';
import { UnansweredAsker } from '../unanswered-asker.js';
import { intervalMs } from './watch-state.js';
import type { Watch, WatchSettings } from './watch.js';
import { watchedSnapshot } from './watched-snapshot.js';

/**
 * Polls again and again in the background until the watch is closed, unless the setting `fetch` is `undefined`. The
 * first scheduled poll comes after `firstPollMs` milliseconds, by default at once. Each change of flags is reported at
 * most once. The first snapshot is usually not reported as a change.
 */
export function openWatch(settings: WatchSettings, runtime: Runtime): Watch {
  const { fetch, pollMs, patienceMs, isShared = false, firstPollMs = 0 } = settings;
  const { clock, random } = runtime;
  const { state, known, asks, take, adopt, isClosed, close, ...readings } = watchedSnapshot(
    settings,
    runtime,
  );
  /**
   * The timer of the next poll. Usually, no timer is set while a poll is under way. No timer is set if no further poll
   * comes.
   */
  const timer = oneTimer(clock);
  const unanswered = new UnansweredAsker();
  /** Whether the first request has ended. */
  let hasPolled = false;

  const request = async (by?: Asker) => {
    if (isClosed() || fetch === undefined) return;
    timer.stop();
    asks();
    const asker = unanswered.take(by);
    const startedAt = clock.now();
    const fetched = await fetch(known(), asker);
    unanswered.ended(asker, fetched);
    // The saved snapshot of an earlier run may have come into force while the request was under way, so `known` is read
    // again.
    await take(fetched, known()?.etag !== undefined, clock.now() - startedAt);
    hasPolled = true;
    if (isClosed() || fetched.kind === 'overtaken') return;
    schedule(nextMs(fetched));
    readings.assess();
  };
  const isPaused = () => clock.now() < state().notBefore;
  const requests = requestsInTurn(request, isPaused, patienceMs, clock);
  const schedule = (delayMs: number) => {
    timer.set(delayMs, () => void requests.join(state().retriesAtOnce ? 'retry' : undefined));
  };
  const isDue = () => clock.now() >= (timer.dueAt() ?? -Infinity) && !isPaused();
  const nextMs = (fetched: Fetched): number => {
    if (!isShared) return nextDelayMs(state(), pollMs, clock.now(), random());
    const lookMs = fetched.kind === 'no-news' ? (fetched.againInMs ?? pollMs) : intervalMs(state(), pollMs);
    // If this instance has a snapshot, other instances that share the store may rely on the polls of this instance, so
    // the interval does not grow even if the service seems to offer no snapshots.
    const offersNone = state().offersNone && known() === undefined;
    return nextLookMs({ ...state(), offersNone }, lookMs, pollMs, clock.now(), random());
  };

  // `assess` is not called here: the snapshot that an earlier run saved is usually old, but its age alone does not mean
  // that the polls of this run have failed.
  if (fetch !== undefined) {
    schedule(firstPollMs);
    if (firstPollMs === 0) void requests.sendNext();
  }
  return {
    ...readings,
    isDue,
    nextPollAt: () => {
      const pollAt = timer.dueAt();
      return pollAt === undefined ? undefined : clock.date() + pollAt - clock.now();
    },
    sparesForMs: () => (isShared ? 0 : sparedForMs(state(), clock.now(), random())),
    async pollFirst() {
      if (!hasPolled) await requests.join();
    },
    async poll(asker) {
      unanswered.add(asker);
      if (!isPaused()) await requests.sendNext(asker);
    },
    async adopt(late) {
      if ((await adopt(late)) && !isPaused()) void requests.sendNext();
    },
    async refresh() {
      readings.assess();
      if (isDue() || requests.isUnderWay()) await requests.join();
    },
    close() {
      close();
      timer.stop();
    },
  };
}

/** Sends one request for the snapshot. The promise never rejects. */
type Request = (asker?: Asker) => Promise<void>;

/** Sends the requests of a watch, usually one after another. */
interface RequestsInTurn {
  /** Sends a request, or waits for the request that is under way. */
  join(asker?: Asker): Promise<void>;
  isUnderWay(): boolean;
  /**
   * Sends a request that begins after this call. If a request is under way, all callers that wait for the next request
   * share that next request.
   */
  sendNext(asker?: Asker): Promise<void>;
}

/** A request for the snapshot that has not ended yet. */
interface UnderWay {
  readonly since: number;
  /** Whether another request was under way when this request began. */
  readonly isBeside: boolean;
  readonly ended: Promise<void>;
}

/**
 * Makes the functions that send one request after another. If a request has not ended within `patienceMs`, one more
 * request can be sent beside the first one. While the second request is under way, no further request is sent.
 * If `isPaused` returns `true` when a request has ended, the callers that were waiting for the next request get none.
 */
function requestsInTurn(
  request: Request,
  isPaused: () => boolean,
  patienceMs: number,
  clock: Clock,
): RequestsInTurn {
  /** The request that began last, if it is still under way. */
  let newest: UnderWay | undefined;
  let next: Promise<void> | undefined;
  /**
   * The reason for the next request. If several callers wait for the next request, `nextAsker` is the strongest of
   * their reasons.
   */
  let nextAsker: Asker | undefined;

  const begin = (asker?: Asker, isBeside = false): Promise<void> => {
    const ended = request(asker).finally(() => {
      if (newest?.ended === ended) newest = undefined;
    });
    newest = { since: clock.now(), isBeside, ended };
    return ended;
  };
  const join = (asker?: Asker) => newest?.ended ?? begin(asker);
  const after = async ({ since, isBeside, ended }: UnderWay): Promise<void> => {
    const patientMs = Math.max(0, since + patienceMs - clock.now());
    const end = await (isBeside ? ended : orLate(ended, patientMs, clock, 'background'));
    const asker = nextAsker;
    next = nextAsker = undefined;
    if (end === 'late') await begin(asker, true);
    else if (!isPaused()) await join(asker);
  };

  return {
    join,
    isUnderWay: () => newest !== undefined,
    sendNext(asker) {
      if (newest === undefined) return begin(asker);
      nextAsker = stronger(nextAsker, asker);
      next ??= after(newest);
      return next;
    },
  };
}
