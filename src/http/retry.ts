import { ENDED, FAILURES } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import { passed } from '../base/time/in-time.js';
import { failureKindOfOutcome, type Outcome, type Send } from './reply.js';

const FIRST_DELAY_MS = 50;

export interface RetrySettings {
  readonly retries: number;
  /** Another attempt begins at most this long after the first one. */
  readonly withinMs: number;
}

const MOST_TENTHS = 100;
const TENTHS_OF_RETRY = 10;

/**
 * An answer gives a tenth of a token, and a retry takes a whole one, so that retries never multiply the load in an
 * outage.
 */
export function withRetries(send: Send, settings: RetrySettings, runtime: Omit<Runtime, 'hears'>): Send {
  const { retries, withinMs } = settings;
  let tenths = MOST_TENTHS;
  const { clock, random, report } = runtime;
  return async (request) => {
    const until = clock.now() + withinMs;
    for (let attempt = 1; ; attempt++) {
      const outcome = await send(request);
      const failure = failureKindOfOutcome(outcome);
      if (failure === undefined || !FAILURES[failure].retryable) {
        if (outcome.kind === 'reply') tenths = Math.min(MOST_TENTHS, tenths + 1);
        return outcome;
      }
      if (!request.repeatable) return outcome;
      // The request has met an idle connection that was closed, for example while the process was paused, and has not
      // reached Flipt.
      const isFree = failure === 'stale-connection' && attempt === 1;
      if (!isFree && attempt > retries) return outcome;
      const backOffMs = FIRST_DELAY_MS * 2 ** (attempt - 1) * random();
      const delayMs = isFree ? 0 : Math.max(retryAfterMs(outcome, clock.date()) ?? 0, backOffMs);
      const cost = isFree ? 0 : TENTHS_OF_RETRY;
      if (clock.now() + delayMs >= until || tenths < cost) return outcome;
      tenths -= cost;
      report({ type: 'retry', attempt: attempt + 1, delayMs, failure });
      await passed(delayMs, request.signal, clock);
      if (request.signal?.aborted) return ENDED;
    }
  };
}

/** `Date.parse` alone would accept many texts that are no HTTP date. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
/** Maintenance pages ask for an hour and are gone in a minute; one request in five minutes is no burden. */
const LONGEST_PAUSE_MS = 300_000;

/** What Retry-After asks for, in seconds or as a date; `undefined` without one. */
export function retryAfterMs(outcome: Outcome, date: number): number | undefined {
  if (outcome.kind !== 'reply') return undefined;
  const header = outcome.headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  const isNumber = /^\d{1,9}$/.test(header);
  const ms = isNumber ? Number(header) * 1000 : HTTP_DATE.test(header) ? Date.parse(header) - date : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_PAUSE_MS);
}
