import type { Clock } from '../time/clock.js';

/** A service that takes longer gets fewer requests of searches: others' requests wait there, and time out after 500 ms. */
export const QUICK_MS = 200;

/** Knows when the last request was sent that was answered quickly: what was sent before it does not wait in a line. */
export function quickAnswers(clock: Pick<Clock, 'now'>) {
  let lastSentAt = -Infinity;
  return {
    /** A request that was sent then has just been answered. */
    note: (sentAt: number) => {
      if (clock.now() - sentAt <= QUICK_MS) lastSentAt = Math.max(lastSentAt, sentAt);
    },
    lastSentAt: () => lastSentAt,
  };
}

export type QuickAnswers = ReturnType<typeof quickAnswers>;
