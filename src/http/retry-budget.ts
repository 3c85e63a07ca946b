import type { Failure } from '../model/failure.js';
import type { Reply } from './reply.js';
import { counted, emptyTally, sums, type Tally } from './tally.js';

const FIRST_DELAY_MS = 50;
const BUDGET_SHARE = 0.2;
const ALWAYS_ALLOWED = 3;

/** Milliseconds to wait before attempt `attempt` + 1, attempts counted from 1; `random` is in [0, 1). */
export function backOffMs(attempt: number, random: number): number {
  return FIRST_DELAY_MS * 2 ** (attempt - 1) * random;
}

/** How an HTTP date begins: `Date.parse` by itself takes almost anything for a date. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** What the service asks for by Retry-After: seconds, or a date. */
export function retryAfterMs(outcome: Reply | Failure, date: number): number | undefined {
  if (outcome.kind !== 'reply') return undefined;
  const header = outcome.headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  if (!HTTP_DATE.test(header)) return undefined;
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, until - date);
}

/** How many extra requests the last ten seconds allow, so that retrying never multiplies an outage. */
export interface RetryBudget {
  /** Counts a request that had to be made. */
  count(now: number): void;
  /** Counts an extra request that is made whatever the budget says: it leaves less for the retries. */
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
