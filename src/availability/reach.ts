import type { Clock } from '../clock.js';
import { isFailure, type AskAtOnce } from '../model/answer.js';
import { questionOf } from '../model/question.js';
import { traitsOf, type Failure } from '../model/failure.js';

/** `undefined`: the service has answered a real question. */
export type Reached = Failure | undefined;

const FIRST_RETRY_MS = 100;
const BACKGROUND_MS = { first: 1_000, most: 30_000 };

/**
 * Asks a real question, and a cheap one: an empty flag key, which any valid token of the namespace may ask
 * and which the service answers with NOT_FOUND. (For an empty batch it would refuse a namespaced token.)
 */
export function healthCheck(askAtOnce: AskAtOnce, namespace: string): () => Promise<Reached> {
  const question = questionOf(namespace, '', { entity: '', names: [], texts: [] });
  return async () => {
    const outcome = await askAtOnce([question]);
    if (isFailure(outcome)) return outcome;
    const [answer] = outcome;
    return answer?.kind === 'failed' && answer.failure.kind !== 'item' ? answer.failure : undefined;
  };
}

/** Checks again and again, until the service answers, refuses the credentials, or the time is up. */
export function reach(
  check: () => Promise<Reached>,
  withinMs: number,
  clock: Clock,
): { readonly reached: Promise<Reached>; readonly cancel: (failure: Failure) => void } {
  let end: (reached: Reached) => void = () => undefined;
  const reached = new Promise<Reached>((resolve) => {
    let over = false;
    let delayMs = FIRST_RETRY_MS;
    let last: Failure = {
      kind: 'timeout',
      message: `Flipt did not answer within ${withinMs} ms (initTimeoutMs)`,
    };
    let cancelDelay: () => void = () => undefined;
    end = (outcome) => {
      over = true;
      cancelTimer();
      cancelDelay();
      resolve(outcome);
    };
    const cancelTimer = clock.after(withinMs, () => {
      end(last);
    });
    const attempt = async () => {
      const outcome = await check();
      if (over) return;
      if (outcome === undefined || isRejectedCredential(outcome)) {
        end(outcome);
        return;
      }
      last = outcome;
      cancelDelay = clock.after(delayMs, () => void attempt());
      delayMs *= 2;
    };
    void attempt();
  });
  return { reached, cancel: end };
}

/** Checks in the background until the service answers: after 1 s, doubling to 30 s, each shortened by chance. */
export function keepReaching(
  check: () => Promise<Reached>,
  clock: Clock,
  random: () => number,
  onReached: () => void,
): () => void {
  let over = false;
  let delayMs = BACKGROUND_MS.first;
  let cancelDelay: () => void = () => undefined;
  const later = () => {
    cancelDelay = clock.after(delayMs * (0.5 + random() / 2), () => void attempt(), 'background');
    delayMs = Math.min(delayMs * 2, BACKGROUND_MS.most);
  };
  const attempt = async () => {
    const outcome = await check();
    if (over) return;
    if (outcome === undefined) onReached();
    else later();
  };
  later();
  return () => {
    over = true;
    cancelDelay();
  };
}

/** Trying again soon would only be rejected again. */
function isRejectedCredential(failure: Failure): boolean {
  const { cause, responded } = traitsOf(failure);
  return cause === 'credentials' && responded;
}
