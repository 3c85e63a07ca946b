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
  /** Refreshes rejected credentials and sends again. */
  readonly send: Send;
  /** Sends each request once. The caller finds out what a 401 means. */
  readonly sendOnce: Send;
  /** Changes when other credentials are sent. */
  readonly credentialsVersion: () => number;
}

/**
 * The way to the service: connections, and the credentials that each request carries. `ending` ends logins, and what
 * waits for them. `isShared` as in {@link LoginWay}.
 */
export function openAuthorizedTransport(
  settings: ConnectionSettings,
  ending: AbortSignal,
  runtime: Runtime,
  isShared = true,
): AuthorizedTransport {
  const transport = openTransport(settings, runtime);
  const login = { send: transport.send, ending, isShared };
  const credentials = openCredentials(credentialSource(settings, login, runtime), runtime, isShared);
  return {
    ...transport,
    send: authorized(transport.send, credentials),
    sendOnce: authorized(transport.send, credentials, false),
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

/** The headers to send. `version` differs from that of all earlier ones. */
export interface Credential {
  readonly headers: AuthHeaders;
  readonly version: number;
}

/** What is sent with requests. */
export interface Credentials {
  /** Changes when other credentials are sent. */
  readonly version: () => number;
  /** What to send now. */
  readonly current: () => Promise<Credential | Failure>;
  /** Gets new ones after the service has rejected these. Concurrent callers share one refresh. */
  readonly refresh: (rejected: Credential) => Promise<Credential | Failure>;
}

/**
 * The only owner of credentials. They are kept in closures, so that printing the provider does not show them. `source`
 * must settle by itself. `isShared` as in {@link LoginWay}.
 */
export function openCredentials(
  source: CredentialSource,
  { report }: Pick<Runtime, 'report'>,
  isShared = true,
): Credentials {
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
      // Names only the kind of an unknown error, because its message may contain a secret.
      const kind = error instanceof Error ? oneLine(error.name) : typeof error;
      return noCredentials(`auth.headers threw ${kind}`).failure;
    }
  };

  const refreshAlone = async () => {
    const outcome = await load(true);
    report({ type: 'credentials-refreshed', failure: 'kind' in outcome ? outcome : undefined });
    return outcome;
  };
  const refresh = isShared ? coalesced(refreshAlone) : refreshAlone;

  return {
    version: () => version,
    current: () => load(false),
    refresh: (rejected) =>
      // Another request may have refreshed them meanwhile: try the new ones first.
      version > rejected.version ? load(false) : refresh(),
  };
}

function sameHeaders(one: AuthHeaders, other: AuthHeaders | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
