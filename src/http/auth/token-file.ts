import { readFile } from 'node:fs/promises';
import { fingerprint, type Fingerprint } from '../../files/fingerprint.js';
import { isHeaderText } from '../../text/header.js';
import { CredentialProblem, type AuthHeaders, type CredentialSource } from './credential-source.js';

/**
 * A client token in a file. The file is looked at before each request. That costs far less than the request, leaves
 * nothing to close, and notices a file that was replaced through a link, as Kubernetes does it.
 */
export function fileSource(path: string): CredentialSource {
  let seen: { readonly version: Fingerprint; readonly headers: AuthHeaders } | undefined;
  return async (again) => {
    const version = await fingerprint(path).catch(unreadable(path));
    if (!again && seen && seen.version === version) return seen.headers;
    const token = (await readFile(path, 'utf8').catch(unreadable(path))).trim();
    if (token === '') throw new CredentialProblem(`auth.tokenFile ${path} is empty`);
    if (!isHeaderText(token) || token.includes(' '))
      throw new CredentialProblem(`auth.tokenFile ${path} does not hold a token`);
    const headers = { authorization: `Bearer ${token}` };
    seen = version === undefined ? undefined : { version, headers };
    return headers;
  };
}

function unreadable(path: string): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new CredentialProblem(`auth.tokenFile ${path} cannot be read (${code})`);
  };
}
