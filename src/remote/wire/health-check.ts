import { isFailure, questionOf, type AskAtOnce, type HealthCheck } from '../../model/answer.js';

/**
 * Asks a real question, and a cheap one: an empty flag key, which any valid token of the namespace may ask
 * and which the service answers with NOT_FOUND. (It would reject an empty batch from a token of a namespace.) Resolves
 * with `undefined` if the service has answered it, else with the failure. Never rejects.
 */
export function healthCheck(askAtOnce: AskAtOnce, namespace: string): HealthCheck {
  const question = questionOf(namespace, '', { entity: '', names: [], texts: [] });
  return async () => {
    const outcome = await askAtOnce([question]);
    if (isFailure(outcome)) return outcome;
    const [answer] = outcome;
    return answer?.kind === 'failed' && answer.failure.kind !== 'item' ? answer.failure : undefined;
  };
}
