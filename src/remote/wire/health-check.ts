import { isFailure, questionOf, type AskAtOnce, type HealthCheck } from '../../model/answer.js';

/**
 * Makes a health check that asks a real but cheap question: one with an empty flag key. Any valid token of the
 * namespace may ask it, and the service answers it with NOT_FOUND. (The service would reject an empty batch from a
 * token of a namespace.) The check resolves with `undefined` if the service has answered, and with the failure if it
 * has not. Never rejects.
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
