import { ENDED, type Failure } from '../../model/failure.js';
import type { ConnectionSettings } from '../../options/settings.js';
import type { Runtime } from '../../model/runtime.js';
import { oneLine } from '../../base/text/describe.js';
import { untilAborted } from '../../base/time/in-time.js';
import { coalesced } from '../../base/time/background-work.js';
import { failureKindOfOutcome, type Outcome, type Send } from '../reply.js';
import { openTransport, type Transport } from '../transport.js';
import {
  CredentialError,
  noCredentials,
  type AuthHeaders,
  type CredentialSource,
} from './credential-source.js';
import { credentialSource } from './sources.js';

/** Sends requests with credentials. */
export interface AuthorizedTransport extends Transport {
  /**
   * Sends a request. After a 401, the transport usually refreshes the credentials, and sends a repeatable request
   * again, unless Flipt has already rejected the fresh credentials. A stream, or an optional request, never refreshes
   * the credentials.
   */
  readonly send: Send;
  /** Sends each request once, and does not refresh the credentials after a 401. */
  readonly sendOnce: Send;
  /** Returns a number that changes whenever the credentials that are sent change. */
  readonly credentialsVersion: () => number;
}

/**
 * Opens connections to the service, and adds credentials to each request. Aborting `ending` ends logins and everything
 * that waits for a login.
 */
export function openAuthorizedTransport(
  settings: ConnectionSettings,
  ending: AbortSignal,
  runtime: Runtime,
): AuthorizedTransport {
  const transport = openTransport(settings, runtime);
  const login = { send: transport.send, ending };
  const credentials = openCredentials(credentialSource(settings, login, runtime), runtime);
  return {
    ...transport,
    send: authorized(transport.send, credentials),
    sendOnce: authorized(transport.send, credentials, false),
    credentialsVersion: credentials.version,
  };
}

/**
 * Returns a function that sends each request with credentials. After a 401, the function usually refreshes the
 * credentials, and sends the request again. If Flipt rejects the fresh credentials, too, no request is repeated until
 * the credentials change or Flipt accepts a request. A request that must not be repeated is never sent twice, but the
 * next request uses the fresh credentials. A stream never refreshes credentials, because each new connection of a
 * stream that Flipt rejects for good would log in again; other requests refresh the credentials instead. With
 * `refreshes: false`, a 401 neither refreshes credentials nor repeats a request.
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

/** The headers that carry the credentials. Each set of credentials has a `version` of its own. */
export interface Credential {
  readonly headers: AuthHeaders;
  readonly version: number;
}

/** Holds the credentials that are sent with requests. */
export interface Credentials {
  /** Returns a number that changes whenever the credentials that are sent change. */
  readonly version: () => number;
  /** Returns the credentials to send now. */
  readonly current: () => Promise<Credential | Failure>;
  /**
   * Gets new credentials after Flipt has rejected the credentials in `rejected`. Concurrent callers share one refresh.
   */
  readonly refresh: (rejected: Credential) => Promise<Credential | Failure>;
}

/**
 * Creates the object that holds the credentials. The credentials are variables of closures, so that printing the
 * provider does not show them. `source` must always settle, because this function sets no limit for its time.
 */
export function openCredentials(source: CredentialSource, { report }: Pick<Runtime, 'report'>): Credentials {
  let version = 0;
  let last: AuthHeaders | undefined;

  const load = async (again: boolean): Promise<Credential | Failure> => {
    try {
      const headers = await source(again);
      if (again || (last !== undefined && !sameHeaders(headers, last))) version++;
      last = headers;
      return { headers, version };
    } catch (error) {
      if (error instanceof CredentialError) return error.failure;
      // The message names only the kind of an unknown error, because the error's own message might contain a secret.
      const kind = error instanceof Error ? oneLine(error.name) : typeof error;
      return noCredentials(`auth.headers threw ${kind}`).failure;
    }
  };

  const refresh = coalesced(async () => {
    const outcome = await load(true);
    report({ type: 'credentials-refreshed', failure: 'kind' in outcome ? outcome : undefined });
    return outcome;
  });

  return {
    version: () => version,
    current: () => load(false),
    refresh: (rejected) =>
      // If another request has refreshed the credentials meanwhile, the new credentials are tried first.
      version > rejected.version ? load(false) : refresh(),
  };
}

function sameHeaders(one: AuthHeaders, other: AuthHeaders | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
