import type { Failure } from '../../model/failure.js';
import type { Send } from '../reply.js';

export type AuthHeaders = Readonly<Record<string, string>>;

/**
 * Returns the header for a token. Flipt has a scheme for its own client tokens, and one for tokens of an identity
 * provider.
 */
export function authHeaders(scheme: 'Bearer' | 'JWT', token: string): AuthHeaders {
  return { authorization: `${scheme} ${token}` };
}

/**
 * Returns the headers that carry the credentials. A source is called before each request, so it should keep what is
 * expensive to get. `again` is true if Flipt has rejected the last credentials, so that a copy of them is useless.
 * Rejects with a {@link CredentialError}, or with what the user's own function has thrown.
 */
export type CredentialSource = (again: boolean) => Promise<AuthHeaders>;

/** What a source needs to log in. */
export interface LoginWay {
  /**
   * Whether callers share one login, which goes on if callers give up. Otherwise each caller has a login of its own,
   * which ends when its caller gives up.
   */
  readonly isShared: boolean;
  /** Sends a login request, which carries no credentials. */
  readonly send: Send;
  /**
   * Aborting this signal ends logins and their renewals. Aborting it also ends the wait for the user's own function,
   * because the timer of that wait keeps the process alive.
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
