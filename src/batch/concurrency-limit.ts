/** How many requests may be under way at once: the limit that the last time-out set, and when. */
export interface Concurrency {
  readonly limit: number;
  readonly since: number;
}

/** After this the limit grows by one. */
const GROWTH_MS = 1_000;

/** Before any time-out. */
export function fullConcurrency(max: number): Concurrency {
  return { limit: max, since: Number.NEGATIVE_INFINITY };
}

/** The limit in force: one more for each second since the last time-out, up to `max`. */
export function limitAt({ limit, since }: Concurrency, max: number, now: number): number {
  return Math.min(max, limit + Math.floor((now - since) / GROWTH_MS));
}

/**
 * Halves the limit after a time-out, once per round trip: a request that was sent before the last halving says
 * nothing about the new limit. Only time-outs count: a large batch takes longer than a small one on a healthy service.
 */
export function afterTimeout(state: Concurrency, max: number, sentAt: number, now: number): Concurrency {
  if (sentAt < state.since) return state;
  return { limit: Math.max(1, Math.floor(limitAt(state, max, now) / 2)), since: now };
}
