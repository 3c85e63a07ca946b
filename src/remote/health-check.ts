import { isFailure, questionOf, type AskAtOnce } from '../model/answer.js';
import type { Failure } from '../model/failure.js';

/** Resolves with `undefined` if the service has answered a real question. `signal` ends it. Never rejects. */
export type HealthCheck = (signal?: AbortSignal) => Promise<Failure | undefined>;

/**
 * Asks a real question, and a cheap one: an empty flag key, which any valid token of the namespace may ask
 * and which the service answers with NOT_FOUND. (It would reject an empty batch from a token of a namespace.)
 */
export function healthCheck(askAtOnce: AskAtOnce, namespace: string): HealthCheck {
  const question = questionOf(namespace, '', { entity: '', names: [], texts: [] });
  return async (signal) => {
    const outcome = await askAtOnce([question], signal);
    if (isFailure(outcome)) return outcome;
    const [answer] = outcome;
    return answer?.kind === 'failed' && answer.failure.kind !== 'item' ? answer.failure : undefined;
  };
}
