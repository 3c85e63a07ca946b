import type { WatchCondition } from '../diagnostics/flipt-event.js';
import { BODY_SHARE, UNMEASURED, type CostReading } from './body-cost.js';

/** What the past polls mean for the next one. Times are milliseconds of the clock's `now`. */
export interface WatchState {
  /** `undefined` before the first success, which may be one of an earlier run. */
  readonly lastSuccessAt: number | undefined;
  /** What whole bodies cost, as it was known at the last success: until the next one, no promise changes. */
  readonly cost: CostReading;
  /** The last success is too old. */
  readonly isLost: boolean;
  /** The service has served a snapshot, or confirmed one, in this run. */
  readonly hasServed: boolean;
  /** The service answers as if it had no snapshots, and has served none in this run. */
  readonly offersNone: boolean;
  /** The last request has failed. */
  readonly hasFailed: boolean;
  /** The next request comes at once, because the last one may have been lost with its connection. */
  readonly retriesAtOnce: boolean;
  /** No request before this time, because the service asked for a pause. */
  readonly notBefore: number;
}

export const UNTRIED: WatchState = {
  lastSuccessAt: undefined,
  cost: UNMEASURED,
  isLost: false,
  hasServed: false,
  offersNone: false,
  hasFailed: false,
  retriesAtOnce: false,
  notBefore: 0,
};

const RELIABLE_INTERVALS = 3;
const LATE_INTERVALS = 4;
const JITTER = 0.2;
/** Requests that an outage has delayed end at the same moment. The next ones are spread over a whole interval. */
const JITTER_AFTER_FAILURE = 0.5;
/** Share of the interval over which instances with the same Retry-After spread their next polls. */
const SPREAD_AFTER_PAUSE = 0.5;
const PATIENT_ATTEMPTS = 4;
const BODIES_OF_PATIENCE = 3;
/** v1 needs 2.5 s for 1,000 flags, and more under load. */
const UNMEASURED_SILENCE_MS = 30_000;
const LONGEST_SILENCE_MS = 60_000;
/** Over so much time, at most, instances spread the polls for a change that the stream has announced. */
const LONGEST_SPREAD_MS = 2_000;
const WITHOUT_SNAPSHOTS_MS = 300_000;

/** The last success may be that of another instance, which has polled for this one. */
export function afterSuccess(lastSuccessAt: number, cost = UNMEASURED): WatchState {
  return { ...UNTRIED, hasServed: true, lastSuccessAt, cost };
}

export interface PollFailure {
  readonly offersNone: boolean;
  readonly retryAfterMs: number | undefined;
  /** No response came in time, and another request is cheap, because it repeats an ETag. */
  readonly isCheapSilence: boolean;
}

export function afterFailure(
  state: WatchState,
  now: number,
  { offersNone, retryAfterMs = 0, isCheapSilence }: PollFailure,
): WatchState {
  return {
    ...state,
    offersNone: state.offersNone || (offersNone && !state.hasServed),
    hasFailed: true,
    // Only the first in a row: a dead connection is replaced then, and what is still silent needs time.
    retriesAtOnce: isCheapSilence && !state.hasFailed,
    notBefore: now + retryAfterMs,
  };
}

/** The service was not asked, and no other instance has asked it for this one. */
export function afterNoNews(state: WatchState): WatchState {
  return { ...state, retriesAtOnce: false };
}

/** Marks the last success as too old if it is: after a poll, between two polls, or while one waits for its answer. */
export function judged(state: WatchState, pollMs: number, now: number): WatchState {
  const isLost = state.lastSuccessAt !== undefined && now >= reliableUntil(state, pollMs);
  return isLost && !state.isLost ? { ...state, isLost } : state;
}

function intervalMs({ cost }: WatchState, pollMs: number): number {
  return Math.max(pollMs, BODY_SHARE * cost.ms);
}

/**
 * Milliseconds within which each instance has seen a change, if the service answers: with a shared store, first the
 * instance that polls, and then those that read its result.
 */
export function seenWithinMs(state: WatchState, pollMs: number, isShared: boolean): number {
  return intervalMs(state, pollMs) * (1 + JITTER) * (isShared ? 2 : 1);
}

/** Why changes are seen much later than `pollMs` promises; `undefined` if they are not. */
export function lateBecause(state: WatchState, pollMs: number, isShared: boolean): string | undefined {
  if (seenWithinMs(state, pollMs, isShared) <= LATE_INTERVALS * pollMs) return undefined;
  const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;
  return `a whole snapshot takes Flipt ${seconds(state.cost.ms)}, so that it is polled every ${seconds(intervalMs(state, pollMs))}`;
}

/** Milliseconds until the next poll. `random` is in [0, 1), so that many instances do not poll at the same moment. */
export function nextDelayMs(state: WatchState, pollMs: number, now: number, random: number): number {
  if (state.retriesAtOnce) return 0;
  const interval = state.offersNone ? WITHOUT_SNAPSHOTS_MS : intervalMs(state, pollMs);
  const usualMs = jittered(interval, state.hasFailed ? JITTER_AFTER_FAILURE : JITTER, random);
  const measureMs = state.cost.measureAt - now;
  const delayMs = measureMs > 0 && !state.hasFailed ? Math.min(usualMs, measureMs) : usualMs;
  if (now >= state.notBefore) return delayMs;
  return Math.max(delayMs, state.notBefore - now + interval * SPREAD_AFTER_PAUSE * random);
}

/**
 * Milliseconds until a poll of which the stream has announced that it will find something new. All instances get the
 * announcement at the same moment, and each of them will be sent a whole body.
 */
export function sparedForMs({ cost, notBefore }: WatchState, now: number, random: number): number {
  const spreadMs = Math.min(BODY_SHARE * cost.likelyMs, LONGEST_SPREAD_MS) * random;
  return Math.max(cost.at + BODY_SHARE * cost.ms - now, notBefore - now, 0) + spreadMs;
}

/**
 * Milliseconds until the next poll if one instance polls for many. These polls read the store, so they need not spare
 * the service.
 */
export function nextLookMs(
  { offersNone, retriesAtOnce }: WatchState,
  pollMs: number,
  random: number,
): number {
  if (retriesAtOnce) return 0;
  return jittered(offersNone ? WITHOUT_SNAPSHOTS_MS : pollMs, JITTER, random);
}

/** Whether the service must not be asked again yet after the last poll, because whole bodies take it so long. */
export function isTooSoon({ ms, measureAt }: CostReading, polledAt: number, now: number): boolean {
  return now - polledAt < BODY_SHARE * ms * (1 - JITTER) && now < measureAt;
}

/** A request of `http.timeoutMs` has four attempts of patience: without an answer for so long, something is wrong. */
export function patienceMs(timeoutMs: number): number {
  return Math.min(PATIENT_ATTEMPTS * timeoutMs, LONGEST_SILENCE_MS);
}

/**
 * How long a poll may be silent, after so many silent polls in a row. A service needs about the same time for each
 * whole body, but more under load: so the limit is generous, and doubles.
 */
export function silenceLimitMs(timeoutMs: number, fullBodyMs: number, silences: number): number {
  const expected =
    fullBodyMs > 0 ? Math.max(patienceMs(timeoutMs), BODIES_OF_PATIENCE * fullBodyMs) : UNMEASURED_SILENCE_MS;
  return Math.min(expected * 2 ** silences, LONGEST_SILENCE_MS);
}

function jittered(ms: number, share: number, random: number): number {
  return ms * (1 - share + 2 * share * random);
}

/**
 * Until when the last success is recent enough to rely on. A request under way does not extend that: otherwise a
 * service that accepts connections and never answers would seem healthy for a minute longer.
 */
export function reliableUntil(state: WatchState, pollMs: number): number {
  // Nothing can change that is never asked for.
  if (pollMs === Infinity) return Infinity;
  return (state.lastSuccessAt ?? -Infinity) + RELIABLE_INTERVALS * intervalMs(state, pollMs);
}

/** `undefined` before the first poll has ended. */
export function conditionOf({ hasServed, isLost, offersNone }: WatchState): WatchCondition | undefined {
  if (offersNone) return 'not-offered';
  if (isLost) return 'lost';
  return hasServed ? 'working' : undefined;
}
