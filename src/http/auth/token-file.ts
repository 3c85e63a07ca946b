import { readFile } from 'node:fs/promises';
import { fingerprint, type Fingerprint } from '../../files/fingerprint.js';
import { isHeaderText } from '../../text/header.js';
import { unsteered } from '../../text/quote.js';
import { CredentialProblem, type AuthHeaders, type CredentialSource } from './credential-source.js';

/**
 * A client token in a file. The file is looked at before each request. That costs far less than the request, leaves
 * nothing to close, and notices a file that was replaced through a link, as Kubernetes does it.
 */
export function fileSource(path: string): CredentialSource {
  const name = `auth.tokenFile ${unsteered(path)}`;
  let seen: { readonly version: Fingerprint; readonly headers: AuthHeaders } | undefined;
  return async (again) => {
    const version = await fingerprint(path).catch(unreadable(name));
    if (!again && seen && seen.version === version) return seen.headers;
    const token = (await readFile(path, 'utf8').catch(unreadable(name))).trim();
    if (token === '') throw new CredentialProblem(`${name} is empty`);
    if (!isHeaderText(token) || token.includes(' '))
      throw new CredentialProblem(`${name} does not hold a token`);
    const headers = { authorization: `Bearer ${token}` };
    seen = version === undefined ? undefined : { version, headers };
    return headers;
  };
}

function unreadable(name: string): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new CredentialProblem(`${name} cannot be read (${code})`);
  };
}
