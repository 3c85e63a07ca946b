import { isFailure, questionOf, type AskAtOnce, type HealthCheck } from '../../model/answer.js';

/**
 * Makes a health check, which is a real evaluation request with an empty flag key. Flipt accepts this request with any
 * valid token of the namespace, and answers it with NOT_FOUND. The health check is not an empty batch, because Flipt
 * would reject an empty batch that is sent with a token of a namespace. The health check resolves with `undefined` if
 * Flipt has answered, and otherwise with the failure, and never rejects.
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
