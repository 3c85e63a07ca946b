import type { WatchCondition } from '../../model/events/flipt-event.js';
import { NO_COST, type PollCost } from '../poll-cost.js';
import type { Fetched, Known, Served } from '../fetch-snapshot.js';

/** What the past polls mean for the next one. Times are milliseconds of the clock's `now`. */
export interface WatchState {
  /** `undefined` before the first success, which may be one of an earlier run. */
  readonly lastSuccessAt: number | undefined;
  /** Of the last success: until the next one, no promise changes. */
  readonly cost: PollCost;
  /** The last success is too old. */
  readonly isLost: boolean;
  /** The service has served a snapshot, or confirmed one, in this run. */
  readonly hasServed: boolean;
  /** The service answers as if it had no snapshots, and has served none in this run. */
  readonly offersNone: boolean;
  /** How often it has seemed so. A gateway answers like that, too, while what is behind it is replaced. */
  readonly refusals: number;
  /** The last request has failed, other than by a service that is there and has lost its flags. */
  readonly hasFailed: boolean;
  /** The next request comes at once, because the last one may have been lost with its connection. */
  readonly retriesAtOnce: boolean;
  /** No request before this time, because the service asked for a pause. */
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

/** An answer, whatever the snapshot is. */
type Answer = Exclude<Fetched, Served> | Omit<Served, keyof Known>;

/**
 * A request has been answered. `hasEtag`: another one can name the snapshot that is known, so that it would be cheap. A
 * success may be that of another instance, which has polled for this one.
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
        // Only the first in a row: a dead connection is replaced then, and what is still silent needs time.
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

/** Marks the last success as too old if it is: after a poll, between two polls, or while one waits for its answer. */
export function judged(state: WatchState, pollMs: number, now: number): WatchState {
  const isLost = state.lastSuccessAt !== undefined && now >= reliableUntil(state, pollMs);
  return isLost && !state.isLost ? { ...state, isLost } : state;
}

/** Milliseconds between polls, on average. */
export function intervalMs({ cost }: WatchState, pollMs: number): number {
  return Math.max(pollMs, cost.intervalMs);
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
