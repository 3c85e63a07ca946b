import type { WatchCondition } from '../../model/events/flipt-event.js';
import { NO_COST, type PollCost } from '../poll-cost.js';
import type { Fetched, Known, Served } from '../fetch-snapshot.js';

/** What the past polls mean for the next one. Times are milliseconds of the clock's `now`. */
export interface WatchState {
  /**
   * When the service was last known to have confirmed the snapshot, possibly in an earlier run; `undefined` before the
   * first success.
   */
  readonly lastSuccessAt: number | undefined;
  /** The cost of the last success, which decides the interval until the next success. */
  readonly cost: PollCost;
  /** Whether the last success is too old, so that the watch is lost. */
  readonly isLost: boolean;
  /** Whether the service has served or confirmed a snapshot in this run. */
  readonly hasServed: boolean;
  /** Whether the service answers as if it had no snapshots, and has served none in this run. */
  readonly offersNone: boolean;
  /**
   * How many answers in a row looked as if the service had no snapshots. A gateway answers like that, too, while the
   * service behind it is replaced.
   */
  readonly refusals: number;
  /**
   * Whether the last request has failed. A service that answers, but has lost its flags, does not count as a failure.
   */
  readonly hasFailed: boolean;
  /** Whether the next request comes at once, because the last one may have been lost with its connection. */
  readonly retriesAtOnce: boolean;
  /** No request is sent before this time, because the service has asked for a pause. */
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
 * Returns the state after a request has ended. `hasEtag` says whether a next request can name the tag of the known
 * snapshot, so that it would be cheap. A success may be that of another instance, which has polled for this one.
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
        // Only the first silent request in a row is repeated at once. The repetition uses a new connection. If that is
        // silent, too, the service needs time.
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

/**
 * Marks the watch as lost if the last success is too old. This happens after a poll, between two polls, or while a poll
 * waits for its answer.
 */
export function judged(state: WatchState, pollMs: number, now: number): WatchState {
  const isLost = state.lastSuccessAt !== undefined && now >= reliableUntil(state, pollMs);
  return isLost && !state.isLost ? { ...state, isLost } : state;
}

/** Returns the average milliseconds between polls. */
export function intervalMs({ cost }: WatchState, pollMs: number): number {
  return Math.max(pollMs, cost.intervalMs);
}

/**
 * Returns until when the last success is recent enough to rely on. A request under way does not extend that time.
 * Otherwise, a service that accepts connections and never answers would seem healthy for a minute longer.
 */
export function reliableUntil(state: WatchState, pollMs: number): number {
  // A snapshot without a watch is never out of date, because the service is never asked.
  if (pollMs === Infinity) return Infinity;
  return (state.lastSuccessAt ?? -Infinity) + RELIABLE_INTERVALS * intervalMs(state, pollMs);
}

/** Returns the condition of the watch, or `undefined` before the first poll has ended. */
export function conditionOf({ hasServed, isLost, offersNone }: WatchState): WatchCondition | undefined {
  if (offersNone) return 'not-offered';
  if (isLost) return 'lost';
  return hasServed ? 'working' : undefined;
}
