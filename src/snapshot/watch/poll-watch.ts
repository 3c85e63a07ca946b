import { oneTimer } from '../../time/one-timer.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../runtime.js';
import type { Asker, Fetched, FetchSnapshot, Known } from '../fetch-snapshot.js';
import { nextDelayMs, nextLookMs } from './poll-schedule.js';
import { requestsInTurn } from './requests-in-turn.js';
import type { Snapshot } from '../snapshot.js';
import { snapshotInForce } from './snapshot-in-force.js';
import { watchReadings } from './watch-readings.js';
import { watchReports } from './watch-reports.js';
import { answered, judged, reliableUntil, UNTRIED, type WatchState } from './watch-state.js';

/** The snapshot in force: the service's, or until there is one, the one that it started with. Knows how reliable it is. */
export type Watch = ReturnType<typeof openWatch>;

export interface WatchSettings {
  /** `undefined`: the service is never asked. */
  readonly fetch: FetchSnapshot | undefined;
  /** Infinite if the service is never asked. */
  readonly pollMs: number;
  /** After so many milliseconds, `poll` no longer waits for the request under way. */
  readonly patienceMs: number;
  /** Whether one instance polls the service for many. Then a poll usually reads only the store. Default: no. */
  readonly isShared?: boolean | undefined;
  /** Whether the first poll may come at any time in the interval. Default: it comes at once. */
  readonly isPatient?: boolean | undefined;
  /** In force until the service serves a snapshot. Default: none. */
  readonly starting?: StartingSnapshot | undefined;
  /** Called when the service has just served the snapshot in force, or said that it is unchanged. */
  readonly confirmed?: ((known: Known) => void) | undefined;
}

/** A snapshot to start from. */
export interface StartingSnapshot extends Known {
  /** In the clock's milliseconds; `undefined` if the service has never confirmed it. */
  readonly confirmedAt: number | undefined;
}

/**
 * Polls at once, and then in the background until it is closed. With a clock without a background, only `refresh` polls,
 * and its caller sees to it that only one does at a time. Reports each change of flags once, but not the first snapshot.
 */
export function openWatch(settings: WatchSettings, runtime: Runtime) {
  const { fetch, pollMs, patienceMs, isShared = false, isPatient = false, starting, confirmed } = settings;
  const { clock, report } = runtime;
  const { hasBackground } = clock;
  // Timers of many instances spread. Calls come at their own times.
  const random = hasBackground ? runtime.random : () => 0.5;
  let state: WatchState = {
    ...UNTRIED,
    lastSuccessAt: starting?.confirmedAt,
    notBefore: fetch === undefined ? Infinity : UNTRIED.notBefore,
  };
  /** By the clock's `now`; `undefined` while a poll is under way, and if none comes. */
  let pollAt: number | undefined;
  /** `poll` was called, and there is no background to do it. */
  let isWanted = false;
  let lastFailure: Failure | undefined;
  let isClosed = false;
  const hasClosed = () => isClosed;
  const pollTimer = oneTimer(clock);
  const lossTimer = oneTimer(clock);
  const reportState = watchReports(settings, report);
  const inForce = snapshotInForce(runtime, hasClosed);

  const request = async (asker?: Asker) => {
    if (hasClosed() || fetch === undefined) return;
    pollTimer.stop();
    pollAt = undefined;
    const startedAt = clock.now();
    // If the last success is too old because this poll is late, as after a blocked event loop, its response decides.
    if (startedAt < reliableUntil(state, pollMs)) assess();
    else lossTimer.stop();
    const asked = inForce.known();
    const fetched = await fetch(asked, asker);
    const durationMs = clock.now() - startedAt;
    if (fetched.kind === 'snapshot') await inForce.prepare(fetched.snapshot);
    if (fetched.kind === 'unchanged' && asked !== undefined) await inForce.prepare(asked.snapshot);
    if (hasClosed() || fetched.kind === 'overtaken') return;
    // Another request may have replaced the snapshot that this one has asked about.
    const isOfAnother = fetched.kind === 'unchanged' && asked !== undefined && asked !== inForce.known();
    learn(isOfAnother ? { ...fetched, ...asked, kind: 'snapshot' } : fetched, asked, durationMs);
    schedule(nextMs(fetched));
    assess();
  };
  const schedule = (delayMs: number) => {
    pollAt = clock.now() + delayMs;
    pollTimer.set(delayMs, () => void requests.join(state.retriesAtOnce ? 'retry' : undefined));
  };
  const nextMs = (fetched: Fetched): number => {
    if (!isShared) return nextDelayMs(state, pollMs, clock.now(), random());
    const intervalMs = fetched.kind === 'no-news' ? (fetched.againInMs ?? pollMs) : pollMs;
    // With a snapshot in the store, other instances rely on this one: it looks again as usual.
    return nextLookMs({ ...state, offersNone: state.offersNone && !inForce.known() }, intervalMs, random());
  };
  const learn = (fetched: Fetched, asked: Known | undefined, durationMs: number) => {
    const now = clock.now();
    state = judged(answered(state, fetched, asked?.etag !== undefined, now), pollMs, now);
    lastFailure = fetched.kind === 'failed' ? fetched.failure : undefined;
    if (fetched.kind === 'failed' && fetched.isUnknown)
      report({ type: 'namespace-suspect', failure: lastFailure });
    // Before the reports, because a listener that reads the snapshot must find this one.
    if (fetched.kind === 'snapshot') inForce.replace(knownOf(fetched));
    const known = inForce.known();
    const isConfirmed = fetched.kind === 'unchanged' || fetched.kind === 'snapshot';
    if (isConfirmed && known !== undefined) confirmed?.(known);
    reportState(state, lastFailure);
    if (fetched.kind !== 'no-news') report({ type: 'snapshot-polled', durationMs, failure: lastFailure });
  };

  /** Reports that the last success has become too old, or waits for that moment. */
  const assess = () => {
    lossTimer.stop();
    if (fetch === undefined || state.lastSuccessAt === undefined || state.isLost) return;
    const now = clock.now();
    const delayMs = reliableUntil(state, pollMs) - now;
    if (delayMs > 0) {
      lossTimer.set(delayMs, assess);
      return;
    }
    state = judged(state, pollMs, now);
    reportState(state, lastFailure);
  };

  const requests = requestsInTurn(request, patienceMs, clock);
  if (starting !== undefined) inForce.start(starting);
  // A kept snapshot is usually old, so its age alone is no loss. A failed poll is.
  if (fetch !== undefined) {
    if (!hasBackground) pollAt = clock.now();
    else if (isPatient) schedule(pollMs * random());
    else void requests.join();
  }
  return {
    ...watchReadings(() => ({ state, pollAt }), settings, { clock, random }),
    /** `undefined` before the first. */
    snapshot: (): Snapshot | undefined => inForce.known()?.snapshot,
    /** The same, once all of its flags have been read; `undefined` if it was replaced before. Never rejects. */
    whole: inForce.whole,
    /**
     * Polls without waiting for the interval, nor for a request that has been silent for too long. Resolves when a
     * request has ended that began after this call. Resolves at once if the service has asked for a pause, or without a
     * background, where the next `refresh` polls. Never rejects.
     */
    async poll(asker?: Asker) {
      isWanted = !hasBackground;
      if (hasBackground && clock.now() >= state.notBefore) await requests.sendNext(asker);
    },
    /** Takes a kept snapshot that was loaded late, unless it is not needed any more. */
    adopt: (late: StartingSnapshot | undefined) => {
      if (late === undefined || hasClosed() || inForce.known() !== undefined || state.offersNone) return;
      inForce.start(late);
      state = { ...state, lastSuccessAt: late.confirmedAt };
      // The kept snapshot's age alone is no loss.
      if (state.hasFailed) assess();
    },
    /** Polls if the interval is over and no poll is under way. Never rejects. */
    async refresh() {
      assess();
      const now = clock.now();
      // A poll that is under way without a background has ended with its caller.
      const dueAt = pollAt ?? (hasBackground ? Infinity : -Infinity);
      if (now < state.notBefore || (now < dueAt && !isWanted)) return;
      const asker = isWanted ? 'user' : undefined;
      isWanted = false;
      await (hasBackground ? requests.join(asker) : request(asker));
    },
    /** Reports that the last success has become too old, if it has. Otherwise a timer does that. */
    assess,
    close() {
      isClosed = true;
      pollTimer.stop();
      lossTimer.stop();
    },
  };
}

function knownOf({ snapshot, etag, fullBodyMs }: Known): Known {
  return { snapshot, etag, fullBodyMs };
}
