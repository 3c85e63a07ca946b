import { counted, noCounts, sums, type RecentCounts } from '../../time/recent-counts.js';

const BUDGET_SHARE = 0.2;
const ALWAYS_ALLOWED = 3;

/** Limits the extra requests within ten seconds, so that retries never multiply an outage. */
export function retryBudget() {
  let counts: RecentCounts = noCounts;
  /** Counts an extra request that is always made; fewer retries remain. */
  const charge = (now: number) => {
    counts = counted(counts, now, true);
  };
  return {
    /** Counts a request that is no retry. */
    count(now: number): void {
      counts = counted(counts, now, false);
    },
    charge,
    /** Counts an extra request if the budget allows it. */
    spend(now: number): boolean {
      const { all, marked } = sums(counts, now);
      if (marked >= Math.max(ALWAYS_ALLOWED, Math.floor((all - marked) * BUDGET_SHARE))) return false;
      charge(now);
      return true;
    },
  };
}

export type RetryBudget = ReturnType<typeof retryBudget>;
