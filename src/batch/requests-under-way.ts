import { isFailure, type BatchOutcome } from '../model/answer.js';
import type { Clock } from '../time/clock.js';
import type { Lane, Waiting } from './batch-queue.js';

/** Requests about suspects that may be under way at once, in addition to `maxConcurrent`. */
const MAX_APART = 4;

/** How many requests may be under way at once: the limit that the last time-out set, and when. */
export interface Concurrency {
  readonly limit: number;
  readonly since: number;
}

/** After this the limit grows by one. */
const GROWTH_MS = 1_000;

/** Before any time-out. */
export function fullConcurrency(max: number): Concurrency {
  return { limit: max, since: Number.NEGATIVE_INFINITY };
}

/** The limit in force: one more for each second since the last time-out, up to `max`. */
export function limitAt({ limit, since }: Concurrency, max: number, now: number): number {
  return Math.min(max, limit + Math.floor((now - since) / GROWTH_MS));
}

/**
 * Halves the limit after a time-out, once per round trip: a request that was sent before the last halving says
 * nothing about the new limit. Only time-outs count: a large batch takes longer than a small one on a healthy service.
 */
export function afterTimeout(state: Concurrency, max: number, sentAt: number, now: number): Concurrency {
  if (sentAt < state.since) return state;
  return { limit: Math.max(1, Math.floor(limitAt(state, max, now) / 2)), since: now };
}

/**
 * Counts the requests under way, and learns from their outcomes how many there may be and how long they take: what the
 * queue must know. `hasAnsweredSince`: whether a request that was sent later has been answered.
 */
export function requestsUnderWay(
  maxConcurrent: number,
  hasAnsweredSince: (sentAt: number) => boolean,
  clock: Clock,
) {
  /** Lanes of suspects with a request under way. */
  const apart = new Set<string>();
  /** Without those of suspects. */
  let underWay = 0;
  let concurrency = fullConcurrency(maxConcurrent);
  let times = noTimes;

  const limit = () => limitAt(concurrency, maxConcurrent, clock.now());

  return {
    limit,
    maySend: ({ name, apart: isApart }: Lane) =>
      isApart ? apart.size < MAX_APART && !apart.has(name) : underWay < limit(),
    isLate: ({ deadline }: Waiting, lane: Lane) => {
      const now = clock.now();
      const left = deadline() - now;
      // With no request under way, one is always sent: only a request can show that the service has become faster.
      const needed = lane.apart || underWay === 0 ? 0 : leastMs(times, now);
      return left <= 0 || left < needed;
    },
    /** If the oldest went first, every question would be just too late. The newest have the most time left. */
    newestFirst: ({ askedAt }: Waiting) => {
      const now = clock.now();
      return now - askedAt > (usualMs(times, now) ?? Infinity);
    },
    /** Whether no lane may send. */
    isFull: () => underWay >= limit() && apart.size >= MAX_APART,
    /** A request of this lane is sent. Returns what to call with its outcome. */
    begin({ name, apart: isApart }: Lane): (outcome: BatchOutcome) => void {
      if (isApart) {
        apart.add(name);
        return () => void apart.delete(name);
      }
      const sentAt = clock.now();
      underWay++;
      return (outcome) => {
        underWay--;
        const isTimeout = isFailure(outcome) && outcome.kind === 'timeout';
        // Another failure may come at once, so it does not show how long an answer takes.
        if (isFailure(outcome) && !isTimeout) return;
        const now = clock.now();
        // If a later request was answered, this one did not wait for others.
        if (isTimeout && !hasAnsweredSince(sentAt))
          concurrency = afterTimeout(concurrency, maxConcurrent, sentAt, now);
        times = withDuration(times, now - sentAt, now);
      };
    },
  };
}

/** Durations of the last requests. */
export interface ResponseTimes {
  /** In milliseconds, oldest first. */
  readonly durations: readonly number[];
  /** When the last one ended, in the clock's milliseconds. */
  readonly endedAt: number;
}

/** Enough that one slow request changes little, few enough that a change is seen within seconds. */
const KEPT = 20;
/** Nothing is known of a service that has answered nothing for so long: what made it slow may have passed. */
const KNOWN_FOR_MS = 10_000;

export const noTimes: ResponseTimes = { durations: [], endedAt: -Infinity };

export function withDuration(times: ResponseTimes, ms: number, now: number): ResponseTimes {
  return { durations: [...known(times, now).slice(1 - KEPT), ms], endedAt: now };
}

/** How long a response usually takes: the median. `undefined` if that is not known. */
export function usualMs(times: ResponseTimes, now: number): number | undefined {
  const durations = known(times, now);
  return durations.toSorted((one, another) => one - another)[durations.length >> 1];
}

/** The next response may be up to 10 % faster than the fastest recent one. */
const MARGIN = 0.9;

/** The least time that a response takes. A question whose callers have less time left cannot be answered. */
export function leastMs(times: ResponseTimes, now: number): number {
  const durations = known(times, now);
  return durations.length === 0 ? 0 : MARGIN * Math.min(...durations);
}

function known({ durations, endedAt }: ResponseTimes, now: number): readonly number[] {
  return now - endedAt < KNOWN_FOR_MS ? durations : [];
}
