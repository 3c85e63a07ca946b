import { isFailure, type BatchOutcome } from '../../model/answer.js';
import type { Clock } from '../../base/time/clock.js';
import { leastMs, noTimes, usualMs, withDuration } from './overload.js';
import type { Decisions, Lane, Waiting } from './batch-queue.js';

/** At most this many requests about suspects may be under way at once, in addition to `maxConcurrent`. */
const MAX_APART = 4;

/** How many requests may be under way at once: the limit that the last time-out set, and when it did so. */
export interface Concurrency {
  readonly limit: number;
  readonly since: number;
}

/** The limit grows by one each time that this has passed. */
const GROWTH_MS = 1_000;

/** Returns the limit before any time-out. */
export function fullConcurrency(max: number): Concurrency {
  return { limit: max, since: Number.NEGATIVE_INFINITY };
}

/** Returns the limit at a time: it grows by one for each second since the last time-out, up to `max`. */
export function limitAt({ limit, since }: Concurrency, max: number, now: number): number {
  return Math.min(max, limit + Math.floor((now - since) / GROWTH_MS));
}

/**
 * Halves the limit after a time-out, but only once per round trip: a request that was sent before the last halving says
 * nothing about the new limit. Other signs of slowness do not count, because a large batch takes longer than a small
 * one on a healthy service.
 */
export function afterTimeout(state: Concurrency, max: number, sentAt: number, now: number): Concurrency {
  if (sentAt < state.since) return state;
  return { limit: Math.max(1, Math.floor(limitAt(state, max, now) / 2)), since: now };
}

/**
 * Counts the requests under way. From their outcomes it learns how many there may be and how long they take, which the
 * queue has to know.
 */
export class RequestsUnderWay implements Decisions {
  /** The lanes of suspects that have a request under way. */
  private readonly apart = new Set<string>();
  /** How many requests are under way, not counting those about suspects. */
  private underWay = 0;
  private concurrency: Concurrency;
  private times = noTimes;

  /** `answers` say whether a request that was sent after a time has been answered. */
  constructor(
    private readonly maxConcurrent: number,
    private readonly answers: { readonly hasAnsweredSince: (sentAt: number) => boolean },
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.concurrency = fullConcurrency(maxConcurrent);
  }

  /** Returns how many requests may be under way at once, not counting those about suspects. */
  limit(): number {
    return limitAt(this.concurrency, this.maxConcurrent, this.clock.now());
  }

  /** Whether no lane may send a request now. */
  isFull(): boolean {
    return this.underWay >= this.limit() && this.apart.size >= MAX_APART;
  }

  maySend({ name, apart }: Lane): boolean {
    return apart ? this.apart.size < MAX_APART && !this.apart.has(name) : this.underWay < this.limit();
  }

  isLate({ deadline }: Waiting, lane: Lane): boolean {
    const now = this.clock.now();
    const left = deadline() - now;
    // If no request is under way, one is always sent, because only a request can show that the service has become
    // faster.
    const needed = lane.apart || this.underWay === 0 ? 0 : leastMs(this.times, now);
    return left <= 0 || left < needed;
  }

  /**
   * If the oldest questions went first while answers come slowly, every question would be just too late. The newest
   * have the most time left.
   */
  newestFirst({ askedAt }: Waiting): boolean {
    const now = this.clock.now();
    return now - askedAt > (usualMs(this.times, now) ?? Infinity);
  }

  /** Learns that a request of this lane is sent. Returns a function to call with its outcome. */
  begin({ name, apart }: Lane): (outcome: BatchOutcome) => void {
    if (apart) {
      this.apart.add(name);
      return () => void this.apart.delete(name);
    }
    const sentAt = this.clock.now();
    this.underWay++;
    return (outcome) => {
      this.underWay--;
      this.learn(outcome, sentAt);
    };
  }

  private learn(outcome: BatchOutcome, sentAt: number): void {
    const isTimeout = isFailure(outcome) && outcome.kind === 'timeout';
    // Another failure may come at once, so that it does not show how long an answer takes.
    if (isFailure(outcome) && !isTimeout) return;
    const now = this.clock.now();
    // If a later request was answered, this one did not wait for others.
    if (isTimeout && !this.answers.hasAnsweredSince(sentAt))
      this.concurrency = afterTimeout(this.concurrency, this.maxConcurrent, sentAt, now);
    this.times = withDuration(this.times, now - sentAt, now);
  }
}
