import { readFile, stat } from 'node:fs/promises';
import { isHeaderText } from '../../text/header.js';

export type AuthHeaders = Readonly<Record<string, string>>;

/** `anew`: the service has refused what was had before. */
export type CredentialSource = (anew: boolean) => Promise<AuthHeaders>;

/** Credentials that could not be had, in words that may be shown: they are ours. */
export class CredentialProblem extends Error {}

/**
 * A client token in a file. Looking at the file before each request costs far less than the request,
 * leaves nothing to close, and sees a file that was replaced through a link, as Kubernetes does it.
 */
export function fileSource(path: string): CredentialSource {
  let seen: { readonly mark: string; readonly headers: AuthHeaders } | undefined;
  return async (anew) => {
    const mark = await markOf(path);
    if (!anew && seen?.mark === mark) return seen.headers;
    const token = (await readFile(path, 'utf8').catch(unreadable(path))).trim();
    if (token === '') throw new CredentialProblem(`auth.tokenFile ${path} is empty`);
    if (!isHeaderText(token) || token.includes(' '))
      throw new CredentialProblem(`auth.tokenFile ${path} does not hold a token`);
    seen = { mark, headers: { authorization: `Bearer ${token}` } };
    return seen.headers;
  };
}

/** Tells one state of the file from another. */
async function markOf(path: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(path).catch(unreadable(path));
  return `${ino}:${size}:${mtimeMs}`;
}

function unreadable(path: string): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new CredentialProblem(`auth.tokenFile ${path} cannot be read (${code})`);
  };
}
