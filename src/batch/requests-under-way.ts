import { isFailure, type BatchOutcome } from '../model/answer.js';
import type { Clock } from '../time/clock.js';
import type { Lane } from './batch-queue.js';
import { afterTimeout, fullConcurrency, limitAt } from './concurrency-limit.js';

/** Requests about suspects that may be under way at once, in addition to `maxConcurrent`. */
const MAX_APART = 4;

/** Counts the requests under way, and learns from their outcomes how many there may be. */
export function requestsUnderWay(maxConcurrent: number, clock: Clock) {
  /** Lanes of suspects with a request under way. */
  const apart = new Set<string>();
  let underWay = 0;
  let concurrency = fullConcurrency(maxConcurrent);
  /** When the last one of the answered requests was sent. */
  let answeredSentAt = -Infinity;

  const limit = () => limitAt(concurrency, maxConcurrent, clock.now());

  /** Gives the milliseconds that the service took; `undefined` if the outcome does not show that. */
  const ended = (outcome: BatchOutcome, sentAt: number): number | undefined => {
    underWay--;
    const now = clock.now();
    if (!isFailure(outcome)) answeredSentAt = Math.max(answeredSentAt, sentAt);
    // Another failure may come at once, so it does not show how long an answer takes.
    else if (outcome.kind !== 'timeout') return undefined;
    // If a later request was answered, this one did not wait for others.
    else if (sentAt >= answeredSentAt) concurrency = afterTimeout(concurrency, maxConcurrent, sentAt, now);
    return now - sentAt;
  };

  return {
    /** Without those of suspects. */
    underWay: () => underWay,
    limit,
    maySend: ({ name, apart: isApart }: Lane) =>
      isApart ? apart.size < MAX_APART && !apart.has(name) : underWay < limit(),
    /** Whether no lane may send. */
    isFull: () => underWay >= limit() && apart.size >= MAX_APART,
    /** A request of this lane is sent. Returns what to call with its outcome. */
    begin({ name, apart: isApart }: Lane): (outcome: BatchOutcome) => number | undefined {
      const sentAt = clock.now();
      if (isApart) apart.add(name);
      else underWay++;
      return (outcome) => {
        if (!isApart) return ended(outcome, sentAt);
        apart.delete(name);
        return undefined;
      };
    },
  };
}
