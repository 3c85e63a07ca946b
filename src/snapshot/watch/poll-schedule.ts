import { intervalMs, reliableUntil, type WatchState } from './watch-state.js';

const LATE_INTERVALS = 4;
const JITTER = 0.2;
/**
 * When an outage ends, requests of many instances can all end at the same moment. To spread the next polls of these
 * instances, about half of the polls after a failed poll come sooner than usual, by up to this share of the interval.
 * The other polls come no later than usual, so that the provider sees a change after Flipt's restart as quickly as any
 * other change.
 */
const SOONER_AFTER_FAILURE = 0.5;
/**
 * If no poll has succeeded for some time, the provider usually polls once more shortly before the last success becomes
 * too old to rely on. The additional poll comes at most this share of an interval before that moment.
 */
const LAST_CHANCE = 0.2;
/**
 * If a Retry-After delays the next polls of many instances, these polls are spread at random over about this share of
 * an interval.
 */
const SPREAD_AFTER_PAUSE = 0.5;
/**
 * A poll for a change that the stream has announced is delayed at random by at most these milliseconds, so that many
 * instances do not poll at once.
 */
const LONGEST_SPREAD_MS = 2_000;
/**
 * A poll for a change that the stream has announced is delayed at random by at most this many times the duration of a
 * whole snapshot, if that is less than `LONGEST_SPREAD_MS`.
 */
const SPREAD_BODIES = 20;
/**
 * If a service seems to offer no snapshots or no stream, the provider asks the service again after about this many
 * milliseconds at most. If `pollMs` is longer than this, a service without snapshots is asked again after about
 * `pollMs`.
 */
export const NOT_OFFERED_MS = 300_000;

/**
 * Returns the milliseconds within which each instance sees a change of a flag, if the polls are punctual and Flipt
 * answers each of them correctly. If many instances share a store, the instance that polls sees the change first, and
 * the other instances read the change from the store later.
 */
export function seenWithinMs(state: WatchState, pollMs: number, isShared: boolean): number {
  return intervalMs(state, pollMs) * (1 + JITTER) * (isShared ? 2 : 1);
}

/**
 * Returns the reason why the provider might see a change later than `LATE_INTERVALS` times `pollMs` after it was made.
 * Returns `undefined` if punctual polls find each change within that time.
 */
export function lateBecause(state: WatchState, pollMs: number, isShared: boolean): string | undefined {
  if (seenWithinMs(state, pollMs, isShared) <= LATE_INTERVALS * pollMs) return undefined;
  const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;
  return `a whole snapshot takes Flipt ${seconds(state.cost.wholeMs)}, so that it is polled every ${seconds(intervalMs(state, pollMs))}`;
}

/**
 * Returns the milliseconds until the next poll. `random` is a number in [0, 1) that spreads the polls of many
 * instances.
 */
export function nextDelayMs(state: WatchState, pollMs: number, now: number, random: number): number {
  if (state.retriesAtOnce) return 0;
  const interval = state.offersNone ? refusedMs(state, pollMs) : intervalMs(state, pollMs);
  const comesSooner = state.hasFailed && random < 0.5;
  const usualMs = jittered(interval, comesSooner ? SOONER_AFTER_FAILURE : JITTER, random);
  const delayMs = Math.min(usualMs, lastChanceMs(state, pollMs, now, random));
  if (now >= state.notBefore) return delayMs;
  return Math.max(delayMs, state.notBefore - now + interval * SPREAD_AFTER_PAUSE * random);
}

/**
 * Returns the milliseconds until an additional poll. The additional poll comes just before the state of the watch would
 * become `lost` because the last successful poll is too long ago. Without the additional poll, the provider could
 * report `lost` although the service has been back for up to an interval. The result is Infinity if no additional poll
 * is needed, or if it is too late for one.
 *
 * If many instances share a store, only the instance that polls the service knows that its polls fail. In the last part
 * (`LAST_CHANCE`) of an interval before the state becomes `lost`, the instance that polls the service polls in the
 * first quarter, and all other instances look into the store in the third quarter. If the poll of the service has
 * succeeded, the other instances find its success in the store, and do not report `lost`.
 */
function lastChanceMs(state: WatchState, pollMs: number, now: number, random: number): number {
  if (state.offersNone) return Infinity;
  const lastMs = LAST_CHANCE * intervalMs(state, pollMs);
  const beginsMs = reliableUntil(state, pollMs) - now - (state.hasFailed ? lastMs : lastMs / 2);
  return beginsMs > 0 ? beginsMs + (lastMs / 4) * random : Infinity;
}

/**
 * Returns the milliseconds until a poll can fetch a change that the stream has announced. The result usually has a
 * random part, because all instances get the announcement at the same moment, and the service sends each of them a
 * whole snapshot.
 */
export function sparedForMs({ cost, notBefore }: WatchState, now: number, random: number): number {
  const spreadMs = Math.min(SPREAD_BODIES * cost.wholeMs, LONGEST_SPREAD_MS) * random;
  return Math.max(cost.sparedUntil - now, notBefore - now, 0) + spreadMs;
}

/**
 * Returns the milliseconds until the next poll of this instance if only one of many instances polls the service. While
 * another instance holds the lease of the store, the polls of this instance usually only read the store. `lookMs` is
 * the average number of milliseconds between two polls of this instance.
 */
export function nextLookMs(
  state: WatchState,
  lookMs: number,
  pollMs: number,
  now: number,
  random: number,
): number {
  if (state.retriesAtOnce) return 0;
  const usualMs = jittered(state.offersNone ? refusedMs(state, lookMs) : lookMs, JITTER, random);
  return Math.min(usualMs, lastChanceMs(state, pollMs, now, random));
}

/**
 * Returns the milliseconds between two polls of a service that seems to offer no snapshots. Each failed poll doubles
 * the time until the next poll, up to five minutes, or up to `pollMs` if that is longer.
 */
function refusedMs({ refusals }: WatchState, pollMs: number): number {
  return Math.min(pollMs * 2 ** refusals, Math.max(pollMs, NOT_OFFERED_MS));
}

function jittered(ms: number, share: number, random: number): number {
  return ms * (1 - share + 2 * share * random);
}
