import { LARGEST_TIMER_MS } from '../time/clock.js';
import type { WatchCondition } from '../diagnostics/flipt-event.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../runtime.js';
import type { Asker, Fetched, FetchSnapshot, Known } from './fetch-snapshot.js';
import { requestsInTurn } from './requests-in-turn.js';
import type { Snapshot } from './snapshot.js';
import { snapshotInForce } from './snapshot-in-force.js';
import {
  afterFailure,
  afterNoNews,
  afterSuccess,
  conditionOf,
  judged,
  lateBecause,
  nextDelayMs,
  nextLookMs,
  reliableUntil,
  seenWithinMs,
  sparedForMs,
  UNTRIED,
  type WatchState,
} from './poll-schedule.js';

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
export function openWatch(
  { fetch, pollMs, patienceMs, isShared = false, isPatient = false, starting, confirmed }: WatchSettings,
  runtime: Runtime,
) {
  const { clock, report } = runtime;
  const inBackground = clock.hasBackground !== false;
  // Timers of many instances spread. Calls come at their own times.
  const random = inBackground ? runtime.random : () => 0.5;
  let state: WatchState = {
    ...UNTRIED,
    lastSuccessAt: starting?.confirmedAt,
    notBefore: fetch === undefined ? Infinity : UNTRIED.notBefore,
  };
  let condition: WatchCondition | undefined;
  /** As it was reported last. */
  let isLate = false;
  /** By the clock's `now`; `undefined` while a poll is under way, and if none comes. */
  let nextPollAt: number | undefined;
  /** `poll` was called, and there is no background to do it. */
  let isWanted = false;
  let lastFailure: Failure | undefined;
  let cancelPoll: () => void = () => undefined;
  let cancelLoss: () => void = () => undefined;
  let isClosed = false;
  const hasClosed = () => isClosed;
  const inForce = snapshotInForce(runtime, hasClosed);

  const request = async (asker?: Asker) => {
    if (hasClosed() || fetch === undefined) return;
    cancelPoll();
    nextPollAt = undefined;
    const startedAt = clock.now();
    // If the last success is too old because this poll is late, as after a blocked event loop, its response decides.
    if (startedAt < reliableUntil(state, pollMs)) assess();
    else cancelLoss();
    const asked = inForce.known();
    const fetched = await fetch(asked, asker);
    const durationMs = clock.now() - startedAt;
    if (fetched.kind === 'snapshot') await inForce.prepare(fetched.snapshot);
    else if (fetched.kind === 'unchanged' && asked !== undefined) await inForce.prepare(asked.snapshot);
    if (hasClosed() || fetched.kind === 'overtaken') return;
    learn(fetched, asked, durationMs);
    schedule(nextMs(fetched));
    assess();
  };
  const schedule = (delayMs: number) => {
    nextPollAt = clock.now() + delayMs;
    cancelPoll();
    cancelPoll = clock.after(delayMs, next, 'background');
  };
  const next = () => void requests.join(state.retriesAtOnce ? 'retry' : undefined);
  const nextMs = (fetched: Fetched): number => {
    if (!isShared) return nextDelayMs(state, pollMs, clock.now(), random());
    const intervalMs = fetched.kind === 'no-news' ? (fetched.againInMs ?? pollMs) : pollMs;
    // With a snapshot in the store, other instances rely on this one: it looks again as usual.
    return nextLookMs({ ...state, offersNone: state.offersNone && !inForce.known() }, intervalMs, random());
  };
  const learn = (answer: Answered, asked: Known | undefined, durationMs: number) => {
    const now = clock.now();
    // The answer is about the snapshot that was asked about. Another request may have replaced it meanwhile.
    const isAnother = answer.kind === 'unchanged' && asked !== undefined && asked !== inForce.known();
    const fetched = isAnother ? { ...answer, ...asked, kind: 'snapshot' as const } : answer;
    const failure = fetched.kind === 'failed' ? fetched.failure : undefined;
    lastFailure = failure;
    if (fetched.kind === 'failed') {
      const isCheapSilence = fetched.isSilent && asked?.etag !== undefined;
      state = afterFailure(state, now, { ...fetched, isCheapSilence });
      if (fetched.isUnknown) report({ type: 'namespace-suspect', failure });
    } else if (fetched.kind === 'no-news') {
      state = afterNoNews(state);
    } else {
      const lastSuccessAt = Math.max(fetched.confirmedAt ?? now, state.lastSuccessAt ?? -Infinity);
      state = afterSuccess(lastSuccessAt, fetched.cost);
    }
    state = judged(state, pollMs, now);
    // Before the reports, because a listener that reads the snapshot must find this one.
    if (fetched.kind === 'snapshot') inForce.replace(knownOf(fetched));
    const known = inForce.known();
    const isConfirmed = fetched.kind === 'unchanged' || fetched.kind === 'snapshot';
    if (isConfirmed && known !== undefined) confirmed?.(known);
    reportCondition();
    reportLateness();
    if (fetched.kind !== 'no-news') report({ type: 'snapshot-polled', durationMs, failure });
  };

  const reportCondition = () => {
    const next = conditionOf(state);
    if (next !== undefined && next !== condition) {
      report({ type: 'watch-changed', state: next, failure: lastFailure });
    }
    condition = next;
  };

  const reportLateness = () => {
    const why = lateBecause(state, pollMs, isShared);
    if ((why !== undefined) === isLate) return;
    isLate = !isLate;
    report({ type: 'watch-slowed', seenWithinMs: seenWithinMs(state, pollMs, isShared), why });
  };

  /** Reports that the last success has become too old, or waits for that moment. */
  const assess = () => {
    cancelLoss();
    if (fetch === undefined || state.lastSuccessAt === undefined || state.isLost) return;
    const now = clock.now();
    const delayMs = reliableUntil(state, pollMs) - now;
    if (delayMs > 0) {
      cancelLoss = clock.after(Math.min(delayMs, LARGEST_TIMER_MS), assess, 'background');
      return;
    }
    state = judged(state, pollMs, now);
    reportCondition();
  };

  const requests = requestsInTurn(request, patienceMs, clock);
  if (starting !== undefined) inForce.start(starting);
  // A kept snapshot is usually old, so its age alone is no loss. A failed poll is.
  if (fetch !== undefined) {
    if (!inBackground) nextPollAt = clock.now();
    else if (isPatient) schedule(pollMs * random());
    else void requests.join();
  }
  return {
    /** `undefined` before the first. */
    snapshot: (): Snapshot | undefined => inForce.known()?.snapshot,
    /** The same, once all of its flags have been read; `undefined` if it was replaced before. Never rejects. */
    whole: inForce.whole,
    /** When the service last confirmed it, in the clock's milliseconds; `undefined` if it never has. */
    confirmedAt: () => state.lastSuccessAt,
    /** For how many milliseconds a change might have gone unnoticed; negative while a change would be noticed. */
    lostForMs: (now = clock.now()) => now - reliableUntil(state, pollMs),
    /** When the next poll is due, in milliseconds since the epoch; `undefined` while one is under way, or if none comes. */
    nextPollAt: () => (nextPollAt === undefined ? undefined : clock.date() + nextPollAt - clock.now()),
    /** Milliseconds within which each instance sees a change; infinite if the service is never asked. */
    seenWithinMs: () => seenWithinMs(state, pollMs, isShared),
    /** Why that is much longer than `pollMs`; `undefined` if it is not. */
    lateBecause: () => lateBecause(state, pollMs, isShared),
    /**
     * Milliseconds until a poll that the stream asks for may begin; different in each instance. If one instance polls for
     * many, a poll usually reads only the store.
     */
    sparesForMs: () => (isShared ? 0 : sparedForMs(state, clock.now(), random())),
    /**
     * Polls without waiting for the interval, nor for a request that has been silent for too long. Resolves when a
     * request has ended that began after this call. Resolves at once if the service has asked for a pause, or without a
     * background, where the next `refresh` polls. Never rejects.
     */
    async poll(asker?: Asker) {
      isWanted = !inBackground;
      if (inBackground && clock.now() >= state.notBefore) await requests.sendNext(asker);
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
      const dueAt = nextPollAt ?? (inBackground ? Infinity : -Infinity);
      if (now < state.notBefore || (now < dueAt && !isWanted)) return;
      const asker = isWanted ? 'user' : undefined;
      isWanted = false;
      await (inBackground ? requests.join(asker) : request(asker));
    },
    /** Reports that the last success has become too old, if it has. Otherwise a timer does that. */
    assess,
    close() {
      isClosed = true;
      cancelPoll();
      cancelLoss();
    },
  };
}

function knownOf({ snapshot, etag, fullBodyMs }: Known): Known {
  return { snapshot, etag, fullBodyMs };
}

type Answered = Exclude<Fetched, { readonly kind: 'overtaken' }>;
