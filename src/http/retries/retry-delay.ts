import type { Outcome } from '../reply.js';

const FIRST_DELAY_MS = 50;

/**
 * Milliseconds until the next attempt, at least as long as the service asks for. After `Retry-After: 0`, the back-off
 * still keeps requests from coming all at once. `attempt` is the number of the failed one, counted from 1; `date` is in
 * milliseconds since the epoch; `random` is in [0, 1).
 */
export function retryDelayMs(outcome: Outcome, attempt: number, date: number, random: number): number {
  return Math.max(retryAfterMs(outcome, date) ?? 0, backOffMs(attempt, random));
}

/** Milliseconds to wait after attempt number `attempt`, counted from 1; `random` is in [0, 1). */
export function backOffMs(attempt: number, random: number): number {
  return FIRST_DELAY_MS * 2 ** (attempt - 1) * random;
}

/** The beginning of an HTTP date. `Date.parse` alone would accept almost any text. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** The page of a maintenance often asks for an hour, and is over in a minute. One request after this time is no burden. */
const LONGEST_PAUSE_MS = 300_000;

/** Milliseconds that the service asks for by Retry-After, which holds seconds or a date: five minutes at most. */
export function retryAfterMs(outcome: Outcome, date: number): number | undefined {
  if (outcome.kind !== 'reply') return undefined;
  const header = outcome.headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  const isNumber = /^\d{1,9}$/.test(header);
  const ms = isNumber ? Number(header) * 1000 : HTTP_DATE.test(header) ? Date.parse(header) - date : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_PAUSE_MS);
}
