import type { Clock } from '../time/clock.js';

/** A service that takes longer gets fewer requests of searches: others' requests wait there, and time out after 500 ms. */
export const QUICK_MS = 200;

/** Knows which requests were answered: what was sent before a quickly answered one does not wait in a line. */
export function answeredRequests(clock: Pick<Clock, 'now'>) {
  let count = 0;
  let lastSentAt = -Infinity;
  let lastQuickSentAt = -Infinity;
  /** A check that was sent then has just passed. It counts for the service's speed alone. */
  const checkPassed = (sentAt: number) => {
    if (clock.now() - sentAt <= QUICK_MS) lastQuickSentAt = Math.max(lastQuickSentAt, sentAt);
  };
  return {
    checkPassed,
    /** A request that was sent then has just been answered. */
    note(sentAt: number) {
      count++;
      lastSentAt = Math.max(lastSentAt, sentAt);
      checkPassed(sentAt);
    },
    /** When the last one of them was sent. */
    lastSentAt: () => lastSentAt,
    /** Called when a request is sent: what is answered from then on. */
    since() {
      const before = count;
      const sentAt = clock.now();
      return {
        count: () => count - before,
        /** Whether a request that was sent later was answered quickly. */
        isQuick: () => lastQuickSentAt > sentAt,
      };
    },
  };
}

export type AnsweredRequests = ReturnType<typeof answeredRequests>;
export type AnsweredSince = ReturnType<AnsweredRequests['since']>;
