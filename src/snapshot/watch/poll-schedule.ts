import { intervalMs, reliableUntil, type WatchState } from './watch-state.js';

const LATE_INTERVALS = 4;
const JITTER = 0.2;
/**
 * Requests that an outage has delayed all end at the same moment. Half of the next ones come sooner than usual by up to
 * this share of the interval, so that they spread. None comes later than usual, so that what Flipt serves after its
 * restart is seen as soon as any other change.
 */
const SOONER_AFTER_FAILURE = 0.5;
/**
 * After a failure, a poll comes in the last part of the time for which the last success is recent enough. The length of
 * that part is this share of an interval.
 */
const LAST_CHANCE = 0.2;
/** If instances got the same Retry-After, their next polls spread over this share of an interval. */
const SPREAD_AFTER_PAUSE = 0.5;
/** Instances spread their polls for an announced change over at most these milliseconds. */
const LONGEST_SPREAD_MS = 2_000;
/**
 * Instances spread their polls for an announced change over this many times the duration of a whole snapshot, if that
 * is shorter.
 */
const SPREAD_BODIES = 20;
/**
 * The longest time, in milliseconds, until the provider asks a service again that seems not to offer snapshots, or a
 * stream.
 */
export const NOT_OFFERED_MS = 300_000;

/**
 * Returns the milliseconds within which each instance sees a change, if the service answers. With a shared store, the
 * instance that polls sees the change first, and the others read it from the store later.
 */
export function seenWithinMs(state: WatchState, pollMs: number, isShared: boolean): number {
  return intervalMs(state, pollMs) * (1 + JITTER) * (isShared ? 2 : 1);
}

/** Returns why changes are seen much later than `pollMs` promises, or `undefined` if they are not. */
export function lateBecause(state: WatchState, pollMs: number, isShared: boolean): string | undefined {
  if (seenWithinMs(state, pollMs, isShared) <= LATE_INTERVALS * pollMs) return undefined;
  const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;
  return `a whole snapshot takes Flipt ${seconds(state.cost.wholeMs)}, so that it is polled every ${seconds(intervalMs(state, pollMs))}`;
}

/** Returns the milliseconds until the next poll. `random` is in [0, 1), and spreads the polls of many instances. */
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
 * Returns the milliseconds until one more poll, which comes just before the last success is too old and the watch is
 * lost. Without that poll, the provider could report the loss although the service has been back for up to an interval.
 * The result is negative infinity if no such poll is needed, or if its moment has begun.
 */
function lastChanceMs(state: WatchState, pollMs: number, now: number, random: number): number {
  if (state.offersNone) return -Infinity;
  const lastMs = LAST_CHANCE * intervalMs(state, pollMs);
  const beginsMs = reliableUntil(state, pollMs) - lastMs - now;
  return beginsMs > 0 ? beginsMs + (lastMs * random) / 2 : -Infinity;
}

/**
 * Returns the milliseconds until the poll that fetches an announced change. The result is random, because all instances
 * get the announcement at the same moment, and the service sends each of them a whole snapshot.
 */
export function sparedForMs({ cost, notBefore }: WatchState, now: number, random: number): number {
  const spreadMs = Math.min(SPREAD_BODIES * cost.wholeMs, LONGEST_SPREAD_MS) * random;
  return Math.max(cost.sparedUntil - now, notBefore - now, 0) + spreadMs;
}

/**
 * Returns the milliseconds until the next poll if one instance polls for many. Most of these polls only read the store.
 */
export function nextLookMs(state: WatchState, pollMs: number, random: number): number {
  if (state.retriesAtOnce) return 0;
  return jittered(state.offersNone ? refusedMs(state, pollMs) : pollMs, JITTER, random);
}

/**
 * Returns the interval to a service that seems not to offer snapshots. Each refusal doubles the interval, up to five
 * minutes, or up to `pollMs` if that is longer.
 */
function refusedMs({ refusals }: WatchState, pollMs: number): number {
  return Math.min(pollMs * 2 ** refusals, Math.max(pollMs, NOT_OFFERED_MS));
}

function jittered(ms: number, share: number, random: number): number {
  return ms * (1 - share + 2 * share * random);
}
