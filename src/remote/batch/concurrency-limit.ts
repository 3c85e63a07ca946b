import { isFailure, type BatchOutcome } from '../../model/answer.js';
import type { Clock } from '../../base/time/clock.js';
import { leastMs, noTimes, usualMs, withDuration } from './overload.js';
import type { Decisions, Lane, Waiting } from './batch-queue.js';

/**
 * The largest number of suspects (questions and flags that have made a batch fail) about which the queue sends requests
 * at the same time. The queue sends the requests about one suspect one after the other.
 */
const MAX_APART = 4;

/**
 * The limit for requests under way right after a time-out has halved it, and the time of this halving. Before the first
 * time-out, `limit` is the full limit, and `since` is `-Infinity`.
 */
export interface Concurrency {
  readonly limit: number;
  readonly since: number;
}

/**
 * After a time-out, the limit for requests under way grows by one each time that this many milliseconds have passed, up
 * to `maxConcurrent`.
 */
const GROWTH_MS = 1_000;

/** Returns the limit for requests under way before the first time-out, which is `max`. */
export function fullConcurrency(max: number): Concurrency {
  return { limit: max, since: Number.NEGATIVE_INFINITY };
}

/**
 * Returns how many requests can be under way at the time `now`. After a time-out, the limit for requests under way
 * grows by one in each second, up to `max`.
 */
export function limitAt({ limit, since }: Concurrency, max: number, now: number): number {
  return Math.min(max, limit + Math.floor((now - since) / GROWTH_MS));
}

/**
 * Halves the limit for requests under way after a time-out. If the timed-out request was sent before the last halving,
 * the limit stays, because this request does not show whether the new limit is too high. Slow answers do not lower the
 * limit, because even a healthy Flipt takes longer for a large batch than for a small one.
 */
export function afterTimeout(state: Concurrency, max: number, sentAt: number, now: number): Concurrency {
  if (sentAt < state.since) return state;
  return { limit: Math.max(1, Math.floor(limitAt(state, max, now) / 2)), since: now };
}

/**
 * Counts the requests under way, and decides what the queue sends next. From the outcomes of requests, this
 * class derives how many requests Flipt can handle at once, and how long a request takes.
 */
export class RequestsUnderWay implements Decisions {
  /** The names of the suspects about which the queue has begun a request that has not ended. */
  private readonly apart = new Set<string>();
  /**
   * The number of the queue's requests that are under way. This number leaves out extra requests:
   * requests that send parts of a failed batch again, or that send suspects (questions and flags that made a batch
   * fail).
   */
  private underWay = 0;
  private concurrency: Concurrency;
  private times = noTimes;

  /** `answers.hasAnsweredSince` returns `true` if Flipt has answered a request that was sent after the given time. */
  constructor(
    private readonly maxConcurrent: number,
    private readonly answers: { readonly hasAnsweredSince: (sentAt: number) => boolean },
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.concurrency = fullConcurrency(maxConcurrent);
  }

  /**
   * Returns how many requests of the queue can be under way at once. Extra requests, which contain suspects or parts of
   * failed batches, do not count.
   */
  limit(): number {
    return limitAt(this.concurrency, this.maxConcurrent, this.clock.now());
  }

  /** Returns `true` if no lane (group of questions) can send a request now. */
  isFull(): boolean {
    return this.underWay >= this.limit() && this.apart.size >= MAX_APART;
  }

  maySend({ name, apart }: Lane): boolean {
    return apart ? this.apart.size < MAX_APART && !this.apart.has(name) : this.underWay < this.limit();
  }

  isLate({ deadline }: Waiting, lane: Lane): boolean {
    const now = this.clock.now();
    const left = deadline() - now;
    // If no request is under way, a question that is not past its deadline never counts as late, because only a request
    // can show that Flipt has become faster.
    const needed = lane.apart || this.underWay === 0 ? 0 : leastMs(this.times, now);
    return left <= 0 || left < needed;
  }

  /**
   * Returns `true` if the oldest question has waited longer than a request usually takes. If the result is `true`, the
   * newest questions are sent first, because they usually have the most time left. If the oldest questions were sent
   * first while Flipt is slow, most answers would come just too late.
   */
  newestFirst({ askedAt }: Waiting): boolean {
    const now = this.clock.now();
    return now - askedAt > (usualMs(this.times, now) ?? Infinity);
  }

  /**
   * Call this function when a request of this lane is sent. When the request has ended, call the returned function with
   * its outcome.
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
      this.ended(outcome, sentAt);
    };
  }

  private ended(outcome: BatchOutcome, sentAt: number): void {
    const isTimeout = isFailure(outcome) && outcome.kind === 'timeout';
    // The duration of a failure other than a time-out is not counted, because a failure can come at once and does not
    // show how long an answer takes.
    if (isFailure(outcome) && !isTimeout) return;
    const now = this.clock.now();
    // If Flipt has answered a request that was sent after the request that timed out, the time-out does not mean that
    // too many requests were under way.
    if (isTimeout && !this.answers.hasAnsweredSince(sentAt))
      this.concurrency = afterTimeout(this.concurrency, this.maxConcurrent, sentAt, now);
    this.times = withDuration(this.times, now - sentAt, now);
  }
}
