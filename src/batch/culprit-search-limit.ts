import type { AskAtOnce, BatchOutcome } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Clock } from '../time/clock.js';
import { questionsOf, type PendingQuestion } from './pending-question.js';
import { slots } from './slots.js';

/** Requests of all searches that may be under way at once, in addition to `batch.maxConcurrent`. */
const MAX_REQUESTS = 8;
/** Most requests that wait for a slot: so many are answered within about four round trips. */
const MAX_WAITING = 32;

/** One request of a search: its outcome, or `overload` without a request. */
export type AskPart = (asked: readonly PendingQuestion[]) => Promise<BatchOutcome>;

/** Keeps the requests of searches apart from those of batches, so that neither waits for the other. `ask` never rejects. */
export function culpritSearchLimit(ask: AskAtOnce, clock: Clock): AskPart {
  const limit = slots(MAX_REQUESTS);
  return async (asked) => {
    if (limit.waiting() >= MAX_WAITING) return OVERLOAD;
    // A free slot is used even if no caller waits any more: the request may find what spoils the batches of others.
    const isNeeded = limit.isFull()
      ? () => asked.some(({ deadline }) => clock.now() < deadline())
      : () => true;
    const leave = await limit.take();
    const outcome = isNeeded() ? await ask(questionsOf(asked)) : OVERLOAD;
    leave();
    return outcome;
  };
}

const OVERLOAD: Failure = {
  kind: 'overload',
  message: `overload: too many batches fail; at most ${MAX_REQUESTS} requests at once look for the questions to blame`,
};
