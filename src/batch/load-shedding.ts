import type { Failure } from '../model/failure.js';
import type { Runtime } from '../runtime.js';
import type { BatchSettings, Lane, Queue, Waiting } from './batch-queue.js';
import { failEach } from './pending-question.js';
import { type RequestsUnderWay, leastMs, usualMs } from './requests-under-way.js';

/**
 * Decides which questions are turned away under overload, so that the callers that can still be served in time are
 * served.
 */
export function loadShedding(
  queue: Pick<Queue, 'size' | 'takeLate'>,
  requests: RequestsUnderWay,
  { maxWaiting }: Pick<BatchSettings, 'maxWaiting'>,
  { clock, report }: Pick<Runtime, 'clock' | 'report'>,
) {
  /** Whether no response can come before the question's callers have given up. */
  const isLate = ({ deadline }: Waiting, { apart }: Lane) => {
    const now = clock.now();
    const left = deadline() - now;
    // With no request under way, one is always sent: only a request can show that the service has become faster.
    const needed = apart || requests.underWay() === 0 ? 0 : leastMs(requests.times(), now);
    return left <= 0 || left < needed;
  };

  /** Fails questions that are late: these, or those at the head of each lane. */
  const shed = (late = queue.takeLate(isLate)) => {
    if (late.length === 0) return;
    const why =
      `${queue.size() + late.length} questions wait for Flipt, which answers ${requests.limit()} requests at once ` +
      '(batch.maxConcurrent) too slowly to answer all of them by their deadlines (deadlineMs)';
    failEach(late, turnedAway(late.length, 'late', why, report));
  };

  return {
    isLate,
    shed,
    /** If the oldest went first, every question would be just too late. The newest have the most time left. */
    newestFirst: ({ askedAt }: Waiting) => {
      const now = clock.now();
      return now - askedAt > (usualMs(requests.times(), now) ?? Infinity);
    },
    /** Why a new question is turned away at once; `undefined` if it may wait. */
    refusal(): Failure | undefined {
      if (queue.size() >= maxWaiting) shed();
      return queue.size() < maxWaiting ? undefined : queueFull(maxWaiting, report);
    },
  };
}

/** A question is turned away because so many wait already. */
export function queueFull(maxWaiting: number, report: Runtime['report']): Failure {
  const why = `${maxWaiting} questions wait for Flipt already (batch.maxWaiting)`;
  return turnedAway(1, 'queue-full', why, report);
}

/** Reports that so many questions are turned away, and gives the failure of each. */
export function turnedAway(
  questions: number,
  reason: 'late' | 'queue-full',
  why: string,
  report: Runtime['report'],
): Failure {
  const failure: Failure = { kind: 'overload', message: `overload: ${why}` };
  report({ type: 'shed', reason, questions, failure });
  return failure;
}
