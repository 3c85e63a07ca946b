import type { Failure } from '../../model/failure.js';
import type { Credential, Credentials } from './credentials.js';
import type { Reply, Send, ServiceRequest } from '../reply.js';
import { untilEnded } from '../until-ended.js';

/**
 * Sends each request with credentials. A 401 has them renewed once, for all who wait for that, and is tried once more
 * with what came of it. Where that was refused as well, it is tried again only with other credentials: while the
 * service refuses what there is, each request goes out once. So does always what may not be repeated, whoever gave
 * the 401: the next request profits from the renewal.
 */
export function authorized(send: Send, credentials: Credentials): Send {
  let refused: Credential | undefined;

  const attempt = (request: ServiceRequest, credential: Credential) =>
    send({ ...request, credentials: credential.headers });

  return async (request) => {
    const credential = await untilEnded(credentials.current(), request.signal);
    if ('kind' in credential) return credential;
    const outcome = await attempt(request, credential);
    if (!isUnauthorized(outcome)) {
      if (outcome.kind === 'reply') refused = undefined;
      return outcome;
    }
    const renewed = await untilEnded(credentials.renew(credential), request.signal);
    if (!request.repeatable) return outcome;
    if ('kind' in renewed || (refused !== undefined && isSame(renewed, refused))) return outcome;
    const second = await attempt(request, renewed);
    if (isUnauthorized(second)) refused = renewed;
    return second;
  };
}

function isUnauthorized(outcome: Reply | Failure): boolean {
  return outcome.kind === 'reply' && outcome.status === 401;
}

function isSame(one: Credential, other: Credential): boolean {
  return JSON.stringify(one.headers) === JSON.stringify(other.headers);
}
