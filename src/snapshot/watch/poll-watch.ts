import type { Runtime } from '../../runtime.js';
import { oneTimer } from '../../time/one-timer.js';
import type { Asker, Fetched, FetchSnapshot } from '../fetch-snapshot.js';
import type { Snapshot } from '../snapshot.js';
import { nextDelayMs, nextLookMs } from './poll-schedule.js';
import { requestsInTurn } from './requests-in-turn.js';
import { watchReadings } from './watch-readings.js';
import { watchedSnapshot, type WatchedSettings } from './watched-snapshot.js';

/** The snapshot in force: the service's, or until there is one, the one that it started with. Knows how reliable it is. */
export type Watch = ReturnType<typeof openWatch>;

export interface WatchSettings extends WatchedSettings {
  /** `undefined`: the service is never asked. */
  readonly fetch: FetchSnapshot | undefined;
  /** After so many milliseconds, `poll` no longer waits for the request under way. */
  readonly patienceMs: number;
  /** Whether the first poll may come at any time in the interval. Default: it comes at once. */
  readonly isPatient?: boolean | undefined;
}

/**
 * Polls at once, and then in the background until it is closed. With a clock without a background, only `refresh` polls,
 * and its caller sees to it that only one does at a time. Reports each change of flags once, but not the first snapshot.
 */
export function openWatch(settings: WatchSettings, runtime: Runtime) {
  const { fetch, pollMs, patienceMs, isShared = false, isPatient = false } = settings;
  const { clock } = runtime;
  const { hasBackground } = clock;
  // Timers of many instances spread. Calls come at their own times.
  const random = hasBackground ? runtime.random : () => 0.5;
  const watched = watchedSnapshot(settings, runtime);
  /** Of the next poll: not set while one is under way, nor if none comes. */
  const timer = oneTimer(clock);
  /** `poll` was called, and there is no background to do it. */
  let isWanted = false;

  const request = async (asker?: Asker) => {
    if (watched.isClosed() || fetch === undefined) return;
    timer.stop();
    watched.asks();
    const startedAt = clock.now();
    const asked = watched.known();
    const fetched = await fetch(asked, asker);
    await watched.take(fetched, asked, clock.now() - startedAt);
    if (watched.isClosed() || fetched.kind === 'overtaken') return;
    schedule(nextMs(fetched));
    watched.assess();
  };
  const requests = requestsInTurn(request, patienceMs, clock);
  const schedule = (delayMs: number) => {
    timer.set(delayMs, () => void requests.join(watched.state().retriesAtOnce ? 'retry' : undefined));
  };
  const nextMs = (fetched: Fetched): number => {
    const state = watched.state();
    if (!isShared) return nextDelayMs(state, pollMs, clock.now(), random());
    const intervalMs = fetched.kind === 'no-news' ? (fetched.againInMs ?? pollMs) : pollMs;
    // With a snapshot in the store, other instances rely on this one: it looks again as usual.
    return nextLookMs({ ...state, offersNone: state.offersNone && !watched.known() }, intervalMs, random());
  };

  // A kept snapshot is usually old, so its age alone is no loss. A failed poll is.
  if (fetch !== undefined) {
    if (!hasBackground) schedule(0);
    else if (isPatient) schedule(pollMs * random());
    else void requests.join();
  }
  return {
    ...watchReadings(() => ({ state: watched.state(), pollAt: timer.dueAt() }), settings, { clock, random }),
    /** `undefined` before the first. */
    snapshot: (): Snapshot | undefined => watched.known()?.snapshot,
    /** The same, once all of its flags have been read; `undefined` if it was replaced before. Never rejects. */
    whole: watched.whole,
    /**
     * Polls without waiting for the interval, nor for a request that has been silent for too long. Resolves when a
     * request has ended that began after this call. Resolves at once if the service has asked for a pause, or without a
     * background, where the next `refresh` polls. Never rejects.
     */
    async poll(asker?: Asker) {
      isWanted = !hasBackground;
      if (hasBackground && clock.now() >= watched.state().notBefore) await requests.sendNext(asker);
    },
    /** Takes a kept snapshot that was loaded late, unless it is not needed any more. */
    adopt: watched.adopt,
    /** Polls if the interval is over and no poll is under way. Never rejects. */
    async refresh() {
      watched.assess();
      const now = clock.now();
      // A poll that is under way without a background has ended with its caller.
      const dueAt = timer.dueAt() ?? (hasBackground ? Infinity : -Infinity);
      if (now < watched.state().notBefore || (now < dueAt && !isWanted)) return;
      const asker = isWanted ? 'user' : undefined;
      isWanted = false;
      await (hasBackground ? requests.join(asker) : request(asker));
    },
    /** Reports that the last success has become too old, if it has. Otherwise a timer does that. */
    assess: watched.assess,
    close() {
      watched.close();
      timer.stop();
    },
  };
}
