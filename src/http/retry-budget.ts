import type { Failure } from '../model/failure.js';
import type { Reply } from './reply.js';
import { counted, emptyTally, sums, type Tally } from './tally.js';

const FIRST_DELAY_MS = 50;
const BUDGET_SHARE = 0.2;
const ALWAYS_ALLOWED = 3;

/** Milliseconds to wait after attempt number `attempt`, counted from 1; `random` is in [0, 1). */
export function backOffMs(attempt: number, random: number): number {
  return FIRST_DELAY_MS * 2 ** (attempt - 1) * random;
}

/** The beginning of an HTTP date. `Date.parse` alone would accept almost any text. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** Milliseconds that the service asks for by Retry-After, which holds seconds or a date. */
export function retryAfterMs(outcome: Reply | Failure, date: number): number | undefined {
  if (outcome.kind !== 'reply') return undefined;
  const header = outcome.headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  if (!HTTP_DATE.test(header)) return undefined;
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, until - date);
}

/** Limits the extra requests within ten seconds, so that retries never multiply an outage. */
export interface RetryBudget {
  /** Counts a request that is no retry. */
  count(now: number): void;
  /** Counts an extra request that is always made; fewer retries remain. */
  charge(now: number): void;
  /** Counts an extra request if the budget allows it. */
  spend(now: number): boolean;
}

export function retryBudget(): RetryBudget {
  let tally: Tally = emptyTally;
  const charge = (now: number) => {
    tally = counted(tally, now, true);
  };
  return {
    count(now) {
      tally = counted(tally, now, false);
    },
    charge,
    spend(now) {
      const { all, marked } = sums(tally, now);
      if (marked >= Math.max(ALWAYS_ALLOWED, Math.floor((all - marked) * BUDGET_SHARE))) return false;
      charge(now);
      return true;
    },
  };
}
