import type { Failure } from '../../model/failure.js';
import type { Send } from '../reply.js';

export type AuthHeaders = Readonly<Record<string, string>>;

/**
 * Returns the header for a token. Flipt expects the scheme `Bearer` for its own client tokens, and the scheme `JWT` for
 * tokens of an identity provider.
 */
export function authHeaders(scheme: 'Bearer' | 'JWT', token: string): AuthHeaders {
  return { authorization: `${scheme} ${token}` };
}

/**
 * Returns the headers that carry the credentials. A source is called before each request, so it should keep what is
 * expensive to get. `again` is true if Flipt has rejected the last credentials, so that the source should get new ones.
 * Rejects with a {@link CredentialError}, or with what the user's own function has thrown.
 */
export type CredentialSource = (again: boolean) => Promise<AuthHeaders>;

/** What a credential source needs to log in. */
export interface LoginWay {
  /** Sends a login request, which has no header with credentials. */
  readonly send: Send;
  /**
   * Aborting this signal ends logins and their renewals. Aborting the signal also ends the wait for the user's function
   * `auth.headers`, because the timer of that wait keeps the process alive.
   */
  readonly ending: AbortSignal;
}

/** The error that says why there are no credentials. The message holds no secret, so that it can be shown. */
export class CredentialError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export function noCredentials(why: string): CredentialError {
  return new CredentialError({ kind: 'credentials', message: `no credentials for Flipt: ${why}` });
}
