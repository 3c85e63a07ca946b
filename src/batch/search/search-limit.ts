import type { AskAtOnce, BatchOutcome } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { Clock } from '../../time/clock.js';
import { QUICK_MS, type AnsweredRequests } from '../answered-requests.js';
import { questionsOf, type PendingQuestion } from '../pending-question.js';
import { slots } from './slots.js';

/** Requests of all searches that may be under way at once, in addition to `batch.maxConcurrent`. */
const AT_ONCE = { least: 8, most: 128 };
/** Most requests that wait for each that may be under way: so many are answered within about four round trips. */
const WAITING_FOR_EACH = 4;
/** They may wait in any case: until it is known that the service is quick, few are under way. */
const LEAST_WAITING = 128;

/** One request of a search: its outcome, or `overload` without a request. */
export type AskPart = (asked: readonly PendingQuestion[]) => Promise<BatchOutcome>;

/**
 * Keeps the requests of searches apart from those of batches, so that neither waits for the other. While requests wait
 * and the service is quick, each response allows one more at once. A slow one halves that, once per round trip, unless a
 * later one was quick: then it is slow for this request alone.
 * `ask` never rejects.
 */
export function searchLimit(ask: AskAtOnce, answered: AnsweredRequests, clock: Clock): AskPart {
  let most = AT_ONCE.least;
  let halvedAt = -Infinity;
  const limit = slots(() => most);

  const send: AskPart = async (asked) => {
    const sentAt = clock.now();
    const since = answered.since();
    const outcome = await ask(questionsOf(asked));
    const now = clock.now();
    if (now - sentAt <= QUICK_MS) {
      if (limit.waiting() > 0) most = Math.min(AT_ONCE.most, most + 1);
    } else if (sentAt >= halvedAt && !since.isQuick()) {
      most = Math.max(AT_ONCE.least, most >> 1);
      halvedAt = now;
    }
    return outcome;
  };

  return async (asked) => {
    if (limit.waiting() >= Math.max(LEAST_WAITING, WAITING_FOR_EACH * most)) return overload(most);
    // A free slot is used even if no caller waits any more: the request may find what spoils the batches of others.
    const mustWait = limit.isFull();
    const leave = await limit.take();
    const isNeeded = !mustWait || asked.some(({ deadline }) => clock.now() < deadline());
    const outcome = isNeeded ? await send(asked) : overload(most);
    leave();
    return outcome;
  };
}

function overload(limit: number): Failure {
  return {
    kind: 'overload',
    message: `overload: too many batches fail; at most ${limit} requests at once look for the questions to blame`,
  };
}
