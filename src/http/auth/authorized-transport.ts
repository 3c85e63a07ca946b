import { ENDED } from '../../model/failure.js';
import type { ConnectionSettings } from '../../options/settings.js';
import type { Runtime } from '../../runtime.js';
import { failureKindOfOutcome, type Outcome, type Send } from '../reply.js';
import { openTransport } from '../transport.js';
import { untilAborted } from '../../time/in-time.js';
import { sameHeaders, type AuthHeaders } from './credential-source.js';
import { credentialSource, openCredentials, type Credentials } from './credentials.js';

/**
 * The way to the service: connections, and the credentials that each request carries. `ending` ends logins, and what
 * waits for them. `send` refreshes rejected credentials and sends again.
 */
export function openAuthorizedTransport(settings: ConnectionSettings, ending: AbortSignal, runtime: Runtime) {
  const transport = openTransport(settings, runtime);
  const login = { send: transport.send, ending };
  const credentials = openCredentials(credentialSource(settings, login, runtime), runtime);
  return {
    ...transport,
    send: authorized(transport.send, credentials),
    /** Sends each request once. The caller finds out what a 401 means. */
    sendOnce: authorized(transport.send, credentials, false),
    /** Changes when other credentials are sent. */
    credentialsVersion: credentials.version,
  };
}

/**
 * Sends each request with credentials. After a 401 it refreshes them, once for all waiting requests, and sends the
 * request again. If the service rejects the fresh credentials too, no request is repeated until they change. A request
 * that may not be repeated is never sent twice; the next request uses the fresh credentials. A stream refreshes nothing:
 * if the service rejected it for good, each connection would log in again. The requests beside it refresh for it.
 * `refreshes`: whether all this happens after a 401.
 */
export function authorized(send: Send, credentials: Credentials, refreshes = true): Send {
  let rejected: AuthHeaders | undefined;

  return async (request) => {
    const credential = await untilAborted(credentials.current(), request.signal, ENDED);
    if ('kind' in credential) return credential;
    const outcome = await send({ ...request, credentials: credential.headers });
    if (request.optional || !refreshes) return outcome;
    if (!isUnauthorized(outcome)) {
      if (outcome.kind === 'reply') rejected = undefined;
      return outcome;
    }
    if (request.stream) return outcome;
    const fresh = await untilAborted(credentials.refresh(credential), request.signal, ENDED);
    if (!request.repeatable) return outcome;
    if ('kind' in fresh || sameHeaders(fresh.headers, rejected)) return outcome;
    const second = await send({ ...request, credentials: fresh.headers });
    if (isUnauthorized(second)) rejected = fresh.headers;
    return second;
  };
}

function isUnauthorized(outcome: Outcome): boolean {
  return failureKindOfOutcome(outcome) === 'unauthorized';
}
