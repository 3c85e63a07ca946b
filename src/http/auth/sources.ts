import { ENDED } from '../../model/failure.js';
import type { ConnectionSettings } from '../../options/settings.js';
import type { Runtime } from '../../model/runtime.js';
import { inTime, untilAborted } from '../../base/time/in-time.js';
import { isPlainObject, quoted } from '../../base/text/describe.js';
import { isConnectionHeader, isHeaderName, isHeaderText } from '../../base/text/header.js';
import {
  authHeaders,
  CredentialError,
  noCredentials,
  type AuthHeaders,
  type CredentialSource,
  type LoginWay,
} from './credential-source.js';
import { kubernetesSource } from './kubernetes-login.js';
import { fileSource } from './token-file.js';

/** Returns the source of the credentials that the options name. Only this function chooses the source. */
export function credentialSource(
  settings: Pick<ConnectionSettings, 'auth' | 'url' | 'http'>,
  login: LoginWay,
  runtime: Runtime,
): CredentialSource {
  const { auth } = settings;
  if (auth === undefined) return constant({});
  if ('token' in auth) return constant(authHeaders('Bearer', auth.token));
  if ('jwt' in auth) return constant(authHeaders('JWT', auth.jwt));
  // The source for Kubernetes limits the time of its logins itself.
  if ('kubernetes' in auth) return kubernetesSource(auth.kubernetes, settings, login, runtime);
  const source = 'tokenFile' in auth ? fileSource(auth.tokenFile) : async () => checked(await auth.headers());
  const { timeoutMs } = settings.http;
  const late = () => noCredentials(`auth took longer than ${timeoutMs} ms (http.timeoutMs)`);
  const ended = new CredentialError(ENDED);
  return async (again) => {
    const loading = untilAborted(source(again), login.ending, ended);
    const headers = await inTime(loading, timeoutMs, runtime.clock, late);
    if (headers instanceof CredentialError) throw headers;
    return headers;
  };
}

function constant(headers: AuthHeaders): CredentialSource {
  return () => Promise.resolve(headers);
}

/** Checks the headers that the user's function has returned. */
function checked(headers: unknown): AuthHeaders {
  const problem = (words: string) => noCredentials(`auth.headers returned ${words}`);
  // A `Headers` object or a promise has no own entries. Without this check, no header would be sent, and no error would
  // say so.
  if (!isPlainObject(headers)) throw problem('no plain object of names and values');
  const checkedHeaders: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers) as [string, unknown][]) {
    // The message does not show the name, because a text that is not a header name might be a credential in the wrong
    // place.
    if (!isHeaderName(name)) throw problem('a name that is no header name');
    if (typeof value !== 'string' || !isHeaderText(value)) {
      throw problem(`a value for ${quoted(name)} that is no header text`);
    }
    if (isConnectionHeader(name)) throw problem(`${quoted(name)}, a header that belongs to the connection`);
    checkedHeaders[name.toLowerCase()] = value;
  }
  return checkedHeaders;
}
