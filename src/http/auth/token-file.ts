import { bytesIfThere } from '../../base/files/durable-file.js';
import { fingerprint, type Fingerprint } from '../../base/files/fingerprint.js';
import { isToken } from '../../base/text/header.js';
import { messageOf, unsteered } from '../../base/text/describe.js';
import { authHeaders, noCredentials, type AuthHeaders, type CredentialSource } from './credential-source.js';

/**
 * Returns a credential source that reads a client token from a file. Before each request, the source checks with `stat`
 * whether the file has changed, which costs far less than the request. Unlike a file watcher, `stat` leaves nothing to
 * close, and also notices when Kubernetes replaces the file through a link.
 */
export function fileSource(path: string): CredentialSource {
  const problem = (why: string) => noCredentials(`auth.tokenFile ${unsteered(path)} ${why}`);
  let seen: { readonly version: Fingerprint; readonly headers: AuthHeaders } | undefined;
  return async (again) => {
    const version = await fingerprint(path).catch(unreadable(problem));
    if (!again && seen && seen.version === version) return seen.headers;
    const token = await readToken(path, problem);
    if (token === '') throw problem('is empty');
    if (!isToken(token)) throw problem('does not hold a token');
    const headers = authHeaders('Bearer', token);
    seen = version === undefined ? undefined : { version, headers };
    return headers;
  };
}

/** A token file can have at most this many bytes. A token is usually far shorter. */
const MOST_TOKEN_BYTES = 65_536;

/** Reads a token without the white space around it. `problem` makes the error with which the promise rejects. */
export async function readToken(path: string, problem: (why: string) => Error): Promise<string> {
  const text = (await bytesIfThere(path, MOST_TOKEN_BYTES).catch(unreadable(problem)))?.toString();
  if (text === undefined) throw problem('cannot be read (ENOENT)');
  return text.trim();
}

function unreadable(problem: (why: string) => Error): (error: unknown) => never {
  return (error) => {
    const isNodes = error instanceof Error && 'code' in error;
    throw problem(`cannot be read (${isNodes ? String(error.code) : messageOf(error)})`);
  };
}
