import type { Failure } from '../../model/failure.js';
import type { Send } from '../reply.js';

export type AuthHeaders = Readonly<Record<string, string>>;

/** The header of a client token, or of the token of an identity provider: Flipt has a scheme for each. */
export function authHeaders(scheme: 'Bearer' | 'JWT', token: string): AuthHeaders {
  return { authorization: `${scheme} ${token}` };
}

/**
 * Asked before each request, so it keeps what costs something. `again`: the service has rejected the last credentials,
 * so a copy of them is useless. Rejects with a CredentialError, or with what a function of the user's has thrown.
 */
export type CredentialSource = (again: boolean) => Promise<AuthHeaders>;

/** How to log in. */
export interface LoginWay {
  /** Whether callers share a login, which goes on without them. If not, each has its own, which ends with it. */
  readonly isShared: boolean;
  /** Sends a login, without credentials. */
  readonly send: Send;
  /** Ends logins, their renewals, and what waits for a function of the user's, whose timer keeps the process alive. */
  readonly ending: AbortSignal;
}

/** Why there are no credentials. The message may be shown. */
export class CredentialError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export function noCredentials(why: string): CredentialError {
  return new CredentialError({ kind: 'credentials', message: `no credentials for Flipt: ${why}` });
}
