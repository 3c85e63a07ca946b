import { isFailure, questionOf, type AskAtOnce, type HealthCheck } from '../../model/answer.js';

/**
 * Makes a health check that asks a real but cheap question, whose flag key is empty. The service lets any valid token
 * of the namespace ask that question, and answers it with NOT_FOUND. (The service would reject an empty batch that is
 * sent with a token of a namespace.) The check resolves with `undefined` if the service has answered, and otherwise
 * with the failure. The promise never rejects.
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
