import { coalesced } from '../base/time/background-work.js';
import { inTime, untilAborted } from '../base/time/in-time.js';
import { isPlainObject, quoted } from '../base/text/describe.js';
import { isConnectionHeader, isHeaderName, isHeaderText } from '../base/text/header.js';
import { ENDED, type Failure } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import type { ConnectionSettings } from '../options/settings.js';
import {
  authHeaders,
  CredentialError,
  noCredentials,
  readToken,
  thrownBy,
  type AuthHeaders,
  type CredentialSource,
} from './credentials.js';
import { openTransport, type Transport } from './exchange.js';
import { kubernetesLogin } from './kubernetes.js';
import { failureKindOfOutcome, type Outcome, type Send } from './reply.js';

/** Aborting `ending` ends logins and everything that waits for one. */
export function openAuthorizedTransport(
  settings: ConnectionSettings,
  ending: AbortSignal,
  runtime: Runtime,
): Transport {
  const transport = openTransport(settings, runtime);
  const source = credentialSource(settings, transport.send, ending, runtime);
  return {
    ...transport,
    send: authorized(transport.send, source, runtime),
  };
}

/**
 * After a 401, refreshes the credentials and sends a repeatable request again, unless Flipt has rejected the fresh
 * ones, too. Neither a stream nor an optional request refreshes them.
 */
export function authorized(send: Send, source: CredentialSource, { report }: Pick<Runtime, 'report'>): Send {
  let last: AuthHeaders | undefined;
  let rejected: AuthHeaders | undefined;
  const load = async (again: boolean): Promise<{ readonly headers: AuthHeaders } | Failure> => {
    try {
      last = await source(again);
      return { headers: last };
    } catch (error) {
      return (error instanceof CredentialError ? error : thrownBy('auth.headers', error)).failure;
    }
  };
  const refreshed = coalesced(async () => {
    const outcome = await load(true);
    report({ type: 'credentials-refreshed', failure: 'kind' in outcome ? outcome.kind : undefined });
    return outcome;
  });
  return async (request) => {
    const credential = await untilAborted(load(false), request.signal, ENDED);
    if ('kind' in credential) return credential;
    const outcome = await send({ ...request, credentials: credential.headers });
    if (request.optional) return outcome;
    if (!isUnauthorized(outcome)) {
      if (outcome.kind === 'reply') rejected = undefined;
      return outcome;
    }
    // A stream that Flipt rejects for good would log in with each new connection.
    if (request.stream) return outcome;
    // Another request may have refreshed them meanwhile.
    const loading = isSame(credential.headers, last) ? refreshed() : load(false);
    const fresh = await untilAborted(loading, request.signal, ENDED);
    if (!request.repeatable || 'kind' in fresh || isSame(fresh.headers, rejected)) return outcome;
    const second = await send({ ...request, credentials: fresh.headers });
    if (isUnauthorized(second)) rejected = fresh.headers;
    return second;
  };
}

const isUnauthorized = (outcome: Outcome) => failureKindOfOutcome(outcome) === 'unauthorized';

const isSame = (one: AuthHeaders, other: AuthHeaders | undefined) =>
  JSON.stringify(one) === JSON.stringify(other);

export function credentialSource(
  settings: Pick<ConnectionSettings, 'auth' | 'url' | 'http'>,
  send: Send,
  ending: AbortSignal,
  runtime: Pick<Runtime, 'clock'>,
): CredentialSource {
  const { auth, http } = settings;
  if (auth === undefined) return constant({});
  if ('token' in auth) return constant(authHeaders('Bearer', auth.token));
  if ('jwt' in auth) return constant(authHeaders('JWT', auth.jwt));
  if ('kubernetes' in auth) return kubernetesLogin(auth.kubernetes, settings, send, ending, runtime.clock);
  const source =
    'tokenFile' in auth
      ? async () => authHeaders('Bearer', await readToken(auth.tokenFile, 'auth.tokenFile'))
      : async () => checked(await auth.headers());
  const late = () => noCredentials(`auth took longer than ${http.timeoutMs} ms (http.timeoutMs)`);
  return async () => {
    const loading = untilAborted(source(), ending, new CredentialError(ENDED));
    const headers = await inTime(loading, http.timeoutMs, runtime.clock, late);
    if (headers instanceof CredentialError) throw headers;
    return headers;
  };
}

const constant = (headers: AuthHeaders) => () => Promise.resolve(headers);

function checked(headers: unknown): AuthHeaders {
  const problem = (words: string) => noCredentials(`auth.headers returned ${words}`);
  // A `Headers` object or a promise has no own entries, so that no header would be sent.
  if (!isPlainObject(headers)) throw problem('no plain object of names and values');
  const entries = Object.entries(headers).map(([name, value]: [string, unknown]) => {
    // What is no name may be a credential in the wrong place.
    if (!isHeaderName(name)) throw problem('a name that is no header name');
    if (typeof value !== 'string' || !isHeaderText(value))
      throw problem(`a value for ${quoted(name)} that is no header text`);
    if (isConnectionHeader(name)) throw problem(`${quoted(name)}, a header that belongs to the connection`);
    return [name.toLowerCase(), value] as const;
  });
  return Object.fromEntries(entries);
}
