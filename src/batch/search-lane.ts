import type { Clock } from '../clock.js';
import type { Answer, AskAtOnce } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import { questionsOf, type PendingQuestion } from './pending-question.js';

/** Requests of all searches that may be under way at once, in addition to `batch.maxConcurrent`. */
const MAX_REQUESTS = 8;
/** Most requests that wait for a place: so many are answered within about four round trips. */
const MAX_WAITING = 32;

/** One request of a search: its outcome, or `overload` without a request. */
export type AskPart = (asked: readonly PendingQuestion[]) => Promise<readonly Answer[] | Failure>;

/** Keeps the requests of searches apart from those of batches, so that neither waits for the other. */
export function searchLane(ask: AskAtOnce, clock: Clock): AskPart {
  let underWay = 0;
  const waiting: (() => void)[] = [];

  const place = () => {
    underWay++;
    if (underWay <= MAX_REQUESTS) return Promise.resolve();
    return new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = () => {
    underWay--;
    waiting.shift()?.();
  };
  const isWanted = (asked: readonly PendingQuestion[]) =>
    asked.some(({ deadline }) => clock.now() < deadline());

  return async (asked) => {
    if (waiting.length >= MAX_WAITING) return OVERLOAD;
    const hadToWait = underWay >= MAX_REQUESTS;
    await place();
    try {
      // A free place is used even if no caller waits any more: the request may find what spoils the batches of others.
      return hadToWait && !isWanted(asked) ? OVERLOAD : await ask(questionsOf(asked));
    } finally {
      leave();
    }
  };
}

const OVERLOAD: Failure = {
  kind: 'overload',
  message: `overload: too many batches fail; at most ${MAX_REQUESTS} requests at once look for the questions to blame`,
};
