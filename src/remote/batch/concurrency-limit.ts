import { isFailure, type BatchOutcome } from '../../model/answer.js';
import type { Clock } from '../../base/time/clock.js';
import { leastMs, noTimes, usualMs, withDuration } from './overload.js';
import type { Decisions, Lane, Waiting } from './batch-queue.js';

/**
 * The largest number of requests about suspects that are under way at once, in addition to `maxConcurrent` other
 * requests.
 */
const MAX_APART = 4;

/** The limit of requests under way at once that the last time-out has set, and the time of that time-out. */
export interface Concurrency {
  readonly limit: number;
  readonly since: number;
}

/** The limit grows by one request each time that these milliseconds have passed. */
const GROWTH_MS = 1_000;

/** Returns the limit that holds until the first time-out. This limit is `max`. */
export function fullConcurrency(max: number): Concurrency {
  return { limit: max, since: Number.NEGATIVE_INFINITY };
}

/**
 * Returns the limit at the time `now`. The limit has grown by one for each second since the last time-out, up to `max`.
 */
export function limitAt({ limit, since }: Concurrency, max: number, now: number): number {
  return Math.min(max, limit + Math.floor((now - since) / GROWTH_MS));
}

/**
 * Halves the limit after a time-out, but only once per round trip: a request that was sent before the last halving does
 * not show whether the new limit is too high. Slow answers do not lower the limit, because even a healthy service takes
 * longer for a large batch than for a small one.
 */
export function afterTimeout(state: Concurrency, max: number, sentAt: number, now: number): Concurrency {
  if (sentAt < state.since) return state;
  return { limit: Math.max(1, Math.floor(limitAt(state, max, now) / 2)), since: now };
}

/**
 * Counts the requests under way. The outcomes of requests show how many requests the service can take at once and how
 * long a request takes, by which the queue decides what to send.
 */
export class RequestsUnderWay implements Decisions {
  /** The names of the suspects' lanes that have a request under way. */
  private readonly apart = new Set<string>();
  /** The number of requests under way. Requests about suspects do not count. */
  private underWay = 0;
  private concurrency: Concurrency;
  private times = noTimes;

  /**
   * `answers.hasAnsweredSince` returns whether the service has answered a request that was sent after the given time.
   */
  constructor(
    private readonly maxConcurrent: number,
    private readonly answers: { readonly hasAnsweredSince: (sentAt: number) => boolean },
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.concurrency = fullConcurrency(maxConcurrent);
  }

  /** Returns how many requests can be under way at once. Requests about suspects do not count. */
  limit(): number {
    return limitAt(this.concurrency, this.maxConcurrent, this.clock.now());
  }

  /** Returns whether no lane can send a request now. */
  isFull(): boolean {
    return this.underWay >= this.limit() && this.apart.size >= MAX_APART;
  }

  maySend({ name, apart }: Lane): boolean {
    return apart ? this.apart.size < MAX_APART && !this.apart.has(name) : this.underWay < this.limit();
  }

  isLate({ deadline }: Waiting, lane: Lane): boolean {
    const now = this.clock.now();
    const left = deadline() - now;
    // If no request is under way, the next request is always sent, because only a request can show that the service has
    // become faster.
    const needed = lane.apart || this.underWay === 0 ? 0 : leastMs(this.times, now);
    return left <= 0 || left < needed;
  }

  /**
   * If the oldest questions were sent first while answers come slowly, every answer would come just too late. The
   * newest questions have the most time left, so they are sent first.
   */
  newestFirst({ askedAt }: Waiting): boolean {
    const now = this.clock.now();
    return now - askedAt > (usualMs(this.times, now) ?? Infinity);
  }

  /**
   * To be called when a request of this lane is sent. Returns a function that must be called with the request's
   * outcome.
   */
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
    // A failure other than a time-out can come at once, so it does not show how long an answer takes.
    if (isFailure(outcome) && !isTimeout) return;
    const now = this.clock.now();
    // If the service has answered a request that was sent later, the cause of this time-out is not that too many
    // requests were under way.
    if (isTimeout && !this.answers.hasAnsweredSince(sentAt))
      this.concurrency = afterTimeout(this.concurrency, this.maxConcurrent, sentAt, now);
    this.times = withDuration(this.times, now - sentAt, now);
  }
}
