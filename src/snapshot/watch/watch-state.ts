import type { WatchCondition } from '../../model/events/flipt-event.js';
import { NO_COST, type PollCost } from '../poll-cost.js';
import type { Fetched, Known, Served } from '../fetch-snapshot.js';

/**
 * The state of the watch, which follows from the past polls and decides about the next poll. All times are milliseconds
 * of the clock's `now`.
 */
export interface WatchState {
  /**
   * The last time at which the service is known to have served or confirmed the snapshot, possibly in an earlier run or
   * to another instance. `lastSuccessAt` is `undefined` if that time is not known.
   */
  readonly lastSuccessAt: number | undefined;
  /** The cost of the last successful poll, on which the interval between polls depends. */
  readonly cost: PollCost;
  /** Whether the last successful poll is too old to rely on the snapshot, so that the watch counts as lost. */
  readonly isLost: boolean;
  /**
   * Whether a poll of this run has succeeded. If instances share a store, a poll that only reads the store counts, too.
   */
  readonly hasServed: boolean;
  /** Whether the service has answered as if it had no snapshots, and no poll of this run has succeeded. */
  readonly offersNone: boolean;
  /**
   * The number of polls that have failed since an answer first looked as if the service had no snapshots. A gateway can
   * answer as if the service had no snapshots, too, while the service behind the gateway is being replaced.
   */
  readonly refusals: number;
  /**
   * Whether the last request has failed. An answer from a service that has lost its flags does not count as a failure
   * here.
   */
  readonly hasFailed: boolean;
  /**
   * Whether the next request is sent at once, because the last request may have been lost together with its connection.
   */
  readonly retriesAtOnce: boolean;
  /**
   * The end of the pause for which the service has asked. Before this time, the provider usually sends no poll. If the
   * watch never polls, the time is Infinity.
   */
  readonly notBefore: number;
}

export const UNTRIED: WatchState = {
  lastSuccessAt: undefined,
  cost: NO_COST,
  isLost: false,
  hasServed: false,
  offersNone: false,
  refusals: 0,
  hasFailed: false,
  retriesAtOnce: false,
  notBefore: 0,
};

const RELIABLE_INTERVALS = 3;

/** The result of a request, without the snapshot itself. */
type Answer = Exclude<Fetched, Served> | Omit<Served, keyof Known>;

/**
 * Returns the state that follows when a request has ended. `hasEtag` says whether the next request can send the ETag of
 * the known snapshot, so that the request would be cheap for Flipt. If another instance has polled for this instance, a
 * success of the other instance counts as well.
 */
export function answered(state: WatchState, fetched: Answer, hasEtag: boolean, now: number): WatchState {
  switch (fetched.kind) {
    case 'overtaken':
      return state;
    case 'no-news':
      return { ...state, retriesAtOnce: false };
    case 'failed': {
      const offersNone = state.offersNone || (fetched.offersNone && !state.hasServed);
      return {
        ...state,
        offersNone,
        refusals: offersNone ? state.refusals + 1 : 0,
        hasFailed: fetched.failure.kind !== 'flags-lost',
        // If several requests in a row get no response, at most the first one is repeated at once. The repeated request
        // uses a new connection. If the repeated request gets no response, either, the cause is probably not the
        // connection, and the service needs time.
        retriesAtOnce: fetched.isSilent && hasEtag && !state.hasFailed,
        notBefore: now + (fetched.retryAfterMs ?? 0),
      };
    }
    case 'unchanged':
    case 'snapshot': {
      const lastSuccessAt = Math.max(fetched.confirmedAt ?? now, state.lastSuccessAt ?? -Infinity);
      return { ...UNTRIED, hasServed: true, lastSuccessAt, cost: fetched.cost };
    }
  }
}

/** Returns the state with the watch marked as lost if the last successful poll is too old. */
export function judged(state: WatchState, pollMs: number, now: number): WatchState {
  const isLost = state.lastSuccessAt !== undefined && now >= reliableUntil(state, pollMs);
  return isLost && !state.isLost ? { ...state, isLost } : state;
}

/** Returns the average number of milliseconds between two scheduled polls, as long as polls succeed. */
export function intervalMs({ cost }: WatchState, pollMs: number): number {
  return Math.max(pollMs, cost.intervalMs);
}

/**
 * Returns the time until which the last successful poll is recent enough to rely on the snapshot. A request that is
 * under way does not extend the returned time, because otherwise a service that accepts connections but never answers
 * would seem healthy for up to a minute longer.
 */
export function reliableUntil(state: WatchState, pollMs: number): number {
  // Without polls (`pollMs` is Infinity), the snapshot never counts as out of date.
  if (pollMs === Infinity) return Infinity;
  return (state.lastSuccessAt ?? -Infinity) + RELIABLE_INTERVALS * intervalMs(state, pollMs);
}

/**
 * Returns the state of the watch in the form in which events report it. Returns `undefined` before the service has
 * served a snapshot, unless the service seems to offer no snapshots, or the snapshot from the start has become too old.
 */
export function conditionOf({ hasServed, isLost, offersNone }: WatchState): WatchCondition | undefined {
  if (offersNone) return 'not-offered';
  if (isLost) return 'lost';
  return hasServed ? 'working' : undefined;
}
