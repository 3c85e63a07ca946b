import type { Failure, FailureKind } from '../../src/model/failure.js';
import type { Reply, Send, ServiceRequest } from '../../src/http/reply.js';

const redact = (text: string) => text;

export function replied(status: number, text = '', headers: Reply['headers'] = {}): Reply {
  return { kind: 'reply', status, headers, text, redact };
}

export function failedWith(kind: FailureKind): Failure {
  return { kind, message: `${kind} failure` };
}

export const REQUEST: ServiceRequest = { method: 'POST', path: '/x', body: '{}', repeatable: true };

/**
 * Makes a `Send` that gives these outcomes one after another, and the last one for ever. It keeps the requests that it
 * got.
 */
export function sending(...outcomes: readonly (Reply | Failure)[]): { send: Send; sent: ServiceRequest[] } {
  const sent: ServiceRequest[] = [];
  const send: Send = (request) => {
    sent.push(request);
    const outcome = outcomes[Math.min(sent.length, outcomes.length) - 1];
    return outcome === undefined ? new Promise(() => undefined) : Promise.resolve(outcome);
  };
  return { send, sent };
}
