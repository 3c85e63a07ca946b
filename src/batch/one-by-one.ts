import { failed, isFailure, UNANSWERED, type AskAtOnce } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../runtime.js';
import type { BatchSettings } from './batch-queue.js';
import type { Batched } from './batching.js';
import { queueFull, turnedAway } from './load-shedding.js';
import { oversized } from './oversized-question.js';
import { ownTurns } from './own-turns.js';

/**
 * Requests at once, for each that batches would take: one question takes the service less than a batch, and a caller who
 * needs many flags would wait too long.
 */
const FOR_EACH_BATCH = 8;

/**
 * Sends each question in a request of its own that its caller may end: callers share nothing but a count of requests.
 * At most 8 × `maxConcurrent` are under way at once, and `maxWaiting` questions wait.
 */
export function oneByOne(
  askAtOnce: AskAtOnce,
  { maxBytes, maxConcurrent, maxWaiting, sizes }: BatchSettings,
  { clock, report, wants }: Pick<Runtime, 'clock' | 'report' | 'wants'>,
): Batched {
  const atOnce = FOR_EACH_BATCH * maxConcurrent;
  const turns = ownTurns(atOnce, clock);
  let closed: Failure | undefined;
  const refusal = () => closed;
  return {
    async ask(question, deadline = () => Infinity, signal) {
      const refused = refusal();
      if (refused !== undefined) return failed(refused);
      const bytes = sizes.empty + sizes.of(question);
      if (bytes > maxBytes) return failed(oversized(question, bytes, maxBytes));
      if (turns.waiting() >= maxWaiting) return failed(queueFull(maxWaiting, report));
      const leave = await turns.take(deadline(), signal);
      if (leave === undefined) return failed(tooMany(atOnce, report));
      if (wants['batch-sent']) report({ type: 'batch-sent', items: 1, bytes });
      const outcome = refusal() ?? (await askAtOnce([question], signal));
      leave();
      return isFailure(outcome) ? failed(outcome) : (outcome[0] ?? failed(UNANSWERED));
    },
    close(failure) {
      closed = failure;
    },
    waiting: turns.waiting,
  };
}

function tooMany(atOnce: number, report: Runtime['report']): Failure {
  const why =
    `${atOnce} requests are under way (${FOR_EACH_BATCH} × batch.maxConcurrent), and none ended in time ` +
    'for this question (deadlineMs)';
  return turnedAway(1, 'late', why, report);
}
