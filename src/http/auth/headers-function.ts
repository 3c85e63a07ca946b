import { isPlainObject, quoted } from '../../text/describe.js';
import { isConnectionHeader, isHeaderName, isHeaderText } from '../../text/header.js';
import { noCredentials, type AuthHeaders, type CredentialSource } from './credential-source.js';

/** Credentials that a function of the user's returns. */
export function functionSource(headers: () => AuthHeaders | Promise<AuthHeaders>): CredentialSource {
  return async () => checked(await headers());
}

function checked(headers: unknown): AuthHeaders {
  const problem = (words: string) => noCredentials(`auth.headers returned ${words}`);
  // A `Headers` object or a promise has no own entries: no header would be sent, and no error would say so.
  if (!isPlainObject(headers)) throw problem('no plain object of names and values');
  const known: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers) as [string, unknown][]) {
    // A text that is no name may be a credential that was put into the wrong place.
    if (!isHeaderName(name)) throw problem('a name that is no name of a header');
    if (typeof value !== 'string' || !isHeaderText(value)) {
      throw problem(`a value for ${quoted(name)} that is no header text`);
    }
    if (isConnectionHeader(name)) throw problem(`${quoted(name)}, which is the connection's own`);
    known[name.toLowerCase()] = value;
  }
  return known;
}
