/**
 * The counts of events in the last ten seconds. There is one bucket for each second in which an event was counted, and
 * the oldest bucket comes first. Callers of the functions below pass the present time.
 */
export type RecentCounts = readonly Bucket[];

interface Bucket {
  readonly second: number;
  readonly all: number;
  readonly marked: number;
}

const SECONDS = 10;

export const noCounts: RecentCounts = [];

/**
 * Adds one event to the counts. An event with `isMarked`, such as a failure or an extra request, is also counted
 * separately.
 */
export function withOne(counts: RecentCounts, now: number, isMarked: boolean): RecentCounts {
  const second = Math.floor(now / 1000);
  const older = recent(counts, second).filter((bucket) => bucket.second !== second);
  const { all, marked } = counts.find((bucket) => bucket.second === second) ?? { all: 0, marked: 0 };
  return [...older, { second, all: all + 1, marked: marked + (isMarked ? 1 : 0) }];
}

export function sums(counts: RecentCounts, now: number): { readonly all: number; readonly marked: number } {
  const buckets = recent(counts, Math.floor(now / 1000));
  const sum = (of: 'all' | 'marked') => buckets.reduce((total, bucket) => total + bucket[of], 0);
  return { all: sum('all'), marked: sum('marked') };
}

function recent(counts: RecentCounts, second: number): RecentCounts {
  return counts.filter((bucket) => bucket.second > second - SECONDS);
}
