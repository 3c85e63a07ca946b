import { intervalMs, reliableUntil, type WatchState } from './watch-state.js';

const LATE_INTERVALS = 4;
const JITTER = 0.2;
/**
 * Requests that an outage has delayed end at the same moment. Half of the next ones come sooner than usual, to spread
 * them. None comes later: what Flipt serves after its restart is seen as soon as any other change.
 */
const SOONER_AFTER_FAILURE = 0.5;
/** After a failure, a poll comes in this last share of an interval before the last success is too old. */
const LAST_CHANCE = 0.2;
/** Share of the interval over which instances with the same Retry-After spread their next polls. */
const SPREAD_AFTER_PAUSE = 0.5;
/** Over so much time, at most, instances spread the polls for a change that the stream has announced. */
const LONGEST_SPREAD_MS = 2_000;
/** As many times a whole snapshot's duration, if that is shorter. */
const SPREAD_BODIES = 20;
/** The longest time until a service is asked again for snapshots, or a stream, that it seems not to offer. */
export const NOT_OFFERED_MS = 300_000;

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
  return `a whole snapshot takes Flipt ${seconds(state.cost.wholeMs)}, so that it is polled every ${seconds(intervalMs(state, pollMs))}`;
}

/** Milliseconds until the next poll. `random` is in [0, 1), so that many instances do not poll at the same moment. */
export function nextDelayMs(state: WatchState, pollMs: number, now: number, random: number): number {
  if (state.retriesAtOnce) return 0;
  const interval = state.offersNone ? refusedMs(state, pollMs) : intervalMs(state, pollMs);
  const comesSooner = state.hasFailed && random < 0.5;
  const usualMs = jittered(interval, comesSooner ? SOONER_AFTER_FAILURE : JITTER, random);
  const soonerMs = state.hasFailed ? lastChanceMs(state, pollMs, now, random) : -Infinity;
  const delayMs = soonerMs > 0 ? Math.min(usualMs, soonerMs) : usualMs;
  if (now >= state.notBefore) return delayMs;
  return Math.max(delayMs, state.notBefore - now + interval * SPREAD_AFTER_PAUSE * random);
}

/**
 * Milliseconds until one more poll, just before the last success is too old and the watch is lost. Without that poll,
 * the loss would be reported with a failure of up to an interval ago, even if the service is back. Negative if the
 * moment has begun.
 */
function lastChanceMs(state: WatchState, pollMs: number, now: number, random: number): number {
  if (state.offersNone) return -Infinity;
  const lastMs = LAST_CHANCE * intervalMs(state, pollMs);
  const beginsMs = reliableUntil(state, pollMs) - lastMs - now;
  return beginsMs > 0 ? beginsMs + (lastMs * random) / 2 : -Infinity;
}

/**
 * Milliseconds until the poll that fetches what the stream has announced. They differ at random, because all instances
 * get the announcement at the same moment, and the service sends each of them a whole body.
 */
export function sparedForMs({ cost, notBefore }: WatchState, now: number, random: number): number {
  const spreadMs = Math.min(SPREAD_BODIES * cost.wholeMs, LONGEST_SPREAD_MS) * random;
  return Math.max(cost.sparedUntil - now, notBefore - now, 0) + spreadMs;
}

/** Milliseconds until the next poll if one instance polls for many. Most of these polls read the store. */
export function nextLookMs(state: WatchState, pollMs: number, random: number): number {
  if (state.retriesAtOnce) return 0;
  return jittered(state.offersNone ? refusedMs(state, pollMs) : pollMs, JITTER, random);
}

/** Less and less often, but not more often than `pollMs`. */
function refusedMs({ refusals }: WatchState, pollMs: number): number {
  return Math.min(pollMs * 2 ** refusals, Math.max(pollMs, NOT_OFFERED_MS));
}

function jittered(ms: number, share: number, random: number): number {
  return ms * (1 - share + 2 * share * random);
}
