import { FAILURES, ENDED } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import { type Send, type Outcome, failureKindOfOutcome } from './reply.js';
import { passed } from '../base/time/in-time.js';
import { withOne, noCounts, sums, type RecentCounts } from '../base/time/recent-counts.js';

/** Settings that limit how often, and for how long, a request is repeated. */
export interface RetrySettings {
  readonly retries: number;
  /** How many milliseconds after the first attempt another attempt can still begin. */
  readonly withinMs: number;
  /**
   * Whether the first attempt counts as an extra request in the budget. The budget never prevents the first attempt.
   */
  readonly extra?: boolean;
  /** The budget of extra requests, which several senders can share. Default: a budget for this sender alone. */
  readonly budget?: RetryBudget;
}

/**
 * Returns a function that sends a request, and repeats the request if it fails. The function repeats only requests that
 * are `repeatable`, only after failures that another attempt might avoid, and only while the number of retries, the
 * budget and the time allow another attempt. If the first attempt of a repeatable request fails on a stale connection,
 * one retry is allowed in any case if there is time.
 */
export function withRetries(send: Send, settings: RetrySettings, runtime: Omit<Runtime, 'wants'>): Send {
  const { retries, withinMs, extra = false, budget = new RetryBudget() } = settings;
  const { clock, random, report } = runtime;
  return async (request) => {
    const until = clock.now() + withinMs;
    budget.count(clock.now(), extra);
    for (let attempt = 1; ; attempt++) {
      const outcome = await send(request);
      const failure = failureKindOfOutcome(outcome);
      if (failure === undefined || !FAILURES[failure].retryable) return outcome;
      // A request on a stale connection has usually not reached the service, so that one retry is no extra load. All
      // connections that were idle when the request was sent are closed, so that the retry does not use another stale
      // connection.
      const isFree = failure === 'stale-connection' && attempt === 1;
      const allowed = isFree ? Math.max(1, retries) : retries;
      if (attempt > allowed || !request.repeatable) return outcome;
      // The delay before a retry is at least as long as the service asks for. The delay before a retry is also at least
      // as long as the back-off, because requests must not come all at once after `Retry-After: 0`.
      const delayMs = isFree
        ? 0
        : Math.max(retryAfterMs(outcome, clock.date()) ?? 0, backOffMs(attempt, random()));
      if (clock.now() + delayMs >= until || !(isFree || budget.spend(clock.now()))) return outcome;
      report({ type: 'retry', attempt: attempt + 1, delayMs, failure });
      await passed(delayMs, request.signal, clock);
      if (request.signal?.aborted) return ENDED;
    }
  };
}

const BUDGET_SHARE = 0.2;
const ALWAYS_ALLOWED = 3;

/**
 * Limits how many extra requests, such as retries, are sent within ten seconds, so that retries never multiply the load
 * in an outage.
 */
export class RetryBudget {
  private counts: RecentCounts = noCounts;

  /**
   * Counts a request that is not a retry. With `isExtra`, the request uses up a part of the budget, so that fewer
   * retries remain.
   */
  count(now: number, isExtra: boolean): void {
    this.counts = withOne(this.counts, now, isExtra);
  }

  /** Returns whether the budget allows another extra request, and counts the extra request if the budget allows it. */
  spend(now: number): boolean {
    const { all, marked } = sums(this.counts, now);
    if (marked >= Math.max(ALWAYS_ALLOWED, Math.floor((all - marked) * BUDGET_SHARE))) return false;
    this.counts = withOne(this.counts, now, true);
    return true;
  }
}

const FIRST_DELAY_MS = 50;

/** Returns the milliseconds to wait after an attempt. Attempts are counted from 1; `random` is in [0, 1). */
export function backOffMs(attempt: number, random: number): number {
  return FIRST_DELAY_MS * 2 ** (attempt - 1) * random;
}

/**
 * This pattern matches the beginning of an HTTP date. `Date.parse` alone would accept many texts that are no HTTP date.
 */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/**
 * A maintenance page often asks clients to wait for an hour, although the maintenance is over in a minute. The wait
 * that a service can ask for is limited to this time, because one request in five minutes is no burden.
 */
const LONGEST_PAUSE_MS = 300_000;

/**
 * Returns the milliseconds that the service asks for in Retry-After, which holds seconds or a date. The result is at
 * most five minutes, or `undefined` if the service asks for no wait.
 */
export function retryAfterMs(outcome: Outcome, date: number): number | undefined {
  if (outcome.kind !== 'reply') return undefined;
  const header = outcome.headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  const isNumber = /^\d{1,9}$/.test(header);
  const ms = isNumber ? Number(header) * 1000 : HTTP_DATE.test(header) ? Date.parse(header) - date : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_PAUSE_MS);
}
