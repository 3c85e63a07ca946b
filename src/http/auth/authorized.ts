import type { Failure } from '../../model/failure.js';
import { failureKindOfOutcome } from '../outcome.js';
import type { Reply, Send, ServiceRequest } from '../reply.js';
import { untilAborted } from '../attempt.js';
import type { Credential, Credentials } from './credentials.js';

/**
 * Sends each request with credentials. After a 401 it refreshes them, once for all waiting requests, and sends the
 * request again. If the service rejects the fresh credentials too, no request is repeated until they change. A request
 * that may not be repeated is never sent twice; the next request uses the fresh credentials. A stream refreshes nothing:
 * if the service rejected it for good, each connection would log in again. The requests beside it refresh for it.
 */
export function authorized(send: Send, credentials: Credentials): Send {
  let rejected: Credential | undefined;

  const attempt = (request: ServiceRequest, credential: Credential) =>
    send({ ...request, credentials: credential.headers });

  return async (request) => {
    const credential = await untilAborted(credentials.current(), request.signal);
    if ('kind' in credential) return credential;
    const outcome = await attempt(request, credential);
    if (!isUnauthorized(outcome)) {
      if (outcome.kind === 'reply') rejected = undefined;
      return outcome;
    }
    if (request.stream) return outcome;
    const fresh = await untilAborted(credentials.refresh(credential), request.signal);
    if (!request.repeatable) return outcome;
    if ('kind' in fresh || (rejected !== undefined && isSame(fresh, rejected))) return outcome;
    const second = await attempt(request, fresh);
    if (isUnauthorized(second)) rejected = fresh;
    return second;
  };
}

/** Sends each request once, with credentials. The caller finds out what a 401 means. */
export function withCredentials(send: Send, credentials: Credentials): Send {
  return async (request) => {
    const credential = await untilAborted(credentials.current(), request.signal);
    return 'kind' in credential ? credential : send({ ...request, credentials: credential.headers });
  };
}

function isUnauthorized(outcome: Reply | Failure): boolean {
  return failureKindOfOutcome(outcome) === 'unauthorized';
}

function isSame(one: Credential, other: Credential): boolean {
  return JSON.stringify(one.headers) === JSON.stringify(other.headers);
}
