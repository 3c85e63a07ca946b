import { bytesIfThere } from '../base/file.js';
import { messageOf, oneLine, unsteered } from '../base/text/describe.js';
import { isHeaderText } from '../base/text/header.js';
import type { Failure } from '../model/failure.js';

export type AuthHeaders = Readonly<Record<string, string>>;

/** Asked before each request. `again` says that Flipt has rejected the last credentials. */
export type CredentialSource = (again: boolean) => Promise<AuthHeaders>;

/** Why there are no credentials. The message holds no secret, so that it can be shown. */
export class CredentialError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export function noCredentials(why: string): CredentialError {
  return new CredentialError({ kind: 'credentials', message: `no credentials for Flipt: ${why}` });
}

/** Flipt knows its own client tokens by `Bearer`, and those of an identity provider by `JWT`. */
export const authHeaders = (scheme: 'Bearer' | 'JWT', token: string): AuthHeaders => ({
  authorization: `${scheme} ${token}`,
});

/** What a user's function threw, without its message, which may contain a secret. */
export function thrownBy(option: string, error: unknown): CredentialError {
  if (!(error instanceof Error)) return noCredentials(`${option} threw ${typeof error}`);
  const code = 'code' in error ? ` (${oneLine(String(error.code))})` : '';
  return noCredentials(`${option} threw ${oneLine(error.name)}${code}`);
}

/** After a scheme such as `Bearer`. */
export function isToken(text: string): boolean {
  return text !== '' && isHeaderText(text) && !text.includes(' ');
}

const MOST_TOKEN_BYTES = 65_536;

/** Read for each use: a token is small, and the cluster replaces its file from time to time. */
export async function readToken(path: string, option: string): Promise<string> {
  const problem = (why: string) => noCredentials(`${option} ${unsteered(path)} ${why}`);
  const text = await bytesIfThere(path, MOST_TOKEN_BYTES).catch((error: unknown) => {
    const isNodes = error instanceof Error && 'code' in error;
    throw problem(`cannot be read (${isNodes ? String(error.code) : messageOf(error)})`);
  });
  if (text === undefined) throw problem('cannot be read (ENOENT)');
  const token = text.toString().trim();
  if (token === '') throw problem('is empty');
  if (!isToken(token)) throw problem('does not hold a token');
  return token;
}
