import { counted, noCounts, sums, type RecentCounts } from '../recent-counts.js';

const BUDGET_SHARE = 0.2;
const ALWAYS_ALLOWED = 3;

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
  let counts: RecentCounts = noCounts;
  const charge = (now: number) => {
    counts = counted(counts, now, true);
  };
  return {
    count(now) {
      counts = counted(counts, now, false);
    },
    charge,
    spend(now) {
      const { all, marked } = sums(counts, now);
      if (marked >= Math.max(ALWAYS_ALLOWED, Math.floor((all - marked) * BUDGET_SHARE))) return false;
      charge(now);
      return true;
    },
  };
}
