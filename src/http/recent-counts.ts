/** Counts of the last ten seconds, one bucket for each second. The caller passes the time. */
export interface RecentCounts {
  /** Oldest first. */
  readonly buckets: readonly Bucket[];
}

interface Bucket {
  readonly second: number;
  readonly all: number;
  readonly marked: number;
}

const SECONDS = 10;

export const noCounts: RecentCounts = { buckets: [] };

/** Counts one event. `marked` events are also counted separately: a failure, or an extra request. */
export function counted(counts: RecentCounts, now: number, marked: boolean): RecentCounts {
  const second = Math.floor(now / 1000);
  const kept = recent(counts, second);
  const last = kept.at(-1);
  const add = marked ? 1 : 0;
  return last?.second === second
    ? { buckets: [...kept.slice(0, -1), { second, all: last.all + 1, marked: last.marked + add }] }
    : { buckets: [...kept, { second, all: 1, marked: add }] };
}

export function sums(counts: RecentCounts, now: number): { readonly all: number; readonly marked: number } {
  let all = 0;
  let marked = 0;
  for (const bucket of recent(counts, Math.floor(now / 1000))) {
    all += bucket.all;
    marked += bucket.marked;
  }
  return { all, marked };
}

function recent({ buckets }: RecentCounts, second: number): readonly Bucket[] {
  return buckets.filter((bucket) => bucket.second > second - SECONDS);
}
