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

export interface AuthorizedTransport extends Transport {
  /**
   * After a 401, refreshes the credentials and sends a repeatable request again, unless Flipt has rejected the fresh
   * ones, too. Neither a stream nor an optional request refreshes them.
   */
  readonly send: Send;
}

/** Aborting `ending` ends logins and everything that waits for one. */
export function openAuthorizedTransport(
  settings: ConnectionSettings,
  ending: AbortSignal,
  runtime: Runtime,
): AuthorizedTransport {
  const transport = openTransport(settings, runtime);
  const source = credentialSource(settings, transport.send, ending, runtime);
  const credentials = new Credentials(source, runtime);
  return {
    ...transport,
    send: authorized(transport.send, credentials),
  };
}

export function authorized(send: Send, credentials: Credentials): Send {
  let rejected: AuthHeaders | undefined;
  return async (request) => {
    const credential = await untilAborted(credentials.current(), request.signal, ENDED);
    if ('kind' in credential) return credential;
    const outcome = await send({ ...request, credentials: credential.headers });
    if (request.optional) return outcome;
    if (!isUnauthorized(outcome)) {
      if (outcome.kind === 'reply') rejected = undefined;
      return outcome;
    }
    // A stream that Flipt rejects for good would log in with each new connection.
    if (request.stream) return outcome;
    const fresh = await untilAborted(credentials.refresh(credential), request.signal, ENDED);
    if (!request.repeatable || 'kind' in fresh || isSame(fresh.headers, rejected)) return outcome;
    const second = await send({ ...request, credentials: fresh.headers });
    if (isUnauthorized(second)) rejected = fresh.headers;
    return second;
  };
}

const isUnauthorized = (outcome: Outcome) => failureKindOfOutcome(outcome) === 'unauthorized';

const isSame = (one: AuthHeaders, other: AuthHeaders | undefined) =>
  JSON.stringify(one) === JSON.stringify(other);

export interface Credential {
  readonly headers: AuthHeaders;
}

export class Credentials {
  // Private, so that printing the provider shows no credentials.
  #last: AuthHeaders | undefined;
  readonly #source: CredentialSource;
  readonly #refreshOnce: () => Promise<Credential | Failure>;

  constructor(source: CredentialSource, { report }: Pick<Runtime, 'report'>) {
    this.#source = source;
    this.#refreshOnce = coalesced(async () => {
      const outcome = await this.#load(true);
      report({ type: 'credentials-refreshed', failure: 'kind' in outcome ? outcome.kind : undefined });
      return outcome;
    });
  }

  current(): Promise<Credential | Failure> {
    return this.#load(false);
  }

  /** Another request may have refreshed the credentials meanwhile. */
  refresh(rejected: Credential): Promise<Credential | Failure> {
    return isSame(rejected.headers, this.#last) ? this.#refreshOnce() : this.#load(false);
  }

  async #load(again: boolean): Promise<Credential | Failure> {
    try {
      const headers = await this.#source(again);
      this.#last = headers;
      return { headers };
    } catch (error) {
      if (error instanceof CredentialError) return error.failure;
      return thrownBy('auth.headers', error).failure;
    }
  }
}

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
