import type { Failure } from '../model/failure.js';
import type { Runtime } from '../runtime.js';
import type { BatchSettings, Lane, Queue, Waiting } from './batch-queue.js';
import { failEach } from './pending-question.js';
import { leastMs, noTimes, usualMs, withDuration } from './response-times.js';

/**
 * Decides which questions are turned away under overload, so that the callers that can still be served in time are
 * served. `requests` are those under way and how many there may be.
 */
export function loadShedding(
  queue: Pick<Queue, 'size' | 'takeLate'>,
  requests: { readonly underWay: () => number; readonly limit: () => number },
  { maxWaiting }: Pick<BatchSettings, 'maxWaiting'>,
  { clock, report }: Pick<Runtime, 'clock' | 'report'>,
) {
  let times = noTimes;

  /** Whether no response can come before the question's callers have given up. */
  const isLate = ({ deadline }: Waiting, { apart }: Lane) => {
    const left = deadline() - clock.now();
    // With no request under way, one is always sent: only a request can show that the service has become faster.
    const needed = apart || requests.underWay() === 0 ? 0 : leastMs(times);
    return left <= 0 || left < needed;
  };

  /** Fails questions that are late: these, or those at the head of each lane. */
  const shed = (late = queue.takeLate(isLate)) => {
    if (late.length === 0) return;
    const failure = tooSlow(queue.size() + late.length, requests.limit());
    failEach(late, failure);
    report({ type: 'shed', reason: 'late', questions: late.length, failure });
  };

  return {
    isLate,
    shed,
    /** If the oldest went first, every question would be just too late. The newest have the most time left. */
    newestFirst: ({ askedAt }: Waiting) => clock.now() - askedAt > (usualMs(times) ?? Infinity),
    /** Why a new question is turned away at once; `undefined` if it may wait. */
    refusal(): Failure | undefined {
      if (queue.size() >= maxWaiting) shed();
      return queue.size() < maxWaiting ? undefined : queueFull(maxWaiting, report);
    },
    /** A request took so many milliseconds. */
    took(ms: number) {
      times = withDuration(times, ms);
    },
  };
}

/** A question is turned away because so many wait already. */
export function queueFull(maxWaiting: number, report: Runtime['report']): Failure {
  const failure: Failure = {
    kind: 'overload',
    message: `overload: ${maxWaiting} questions wait for Flipt already (batch.maxWaiting)`,
  };
  report({ type: 'shed', reason: 'queue-full', questions: 1, failure });
  return failure;
}

function tooSlow(waiting: number, limit: number): Failure {
  return {
    kind: 'overload',
    message:
      `overload: ${waiting} questions wait for Flipt, which answers ${limit} requests at once (batch.maxConcurrent) ` +
      'too slowly to answer all of them by their deadlines (deadlineMs)',
  };
}
