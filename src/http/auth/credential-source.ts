import type { Failure } from '../../model/failure.js';

export type AuthHeaders = Readonly<Record<string, string>>;

/** `again`: the service has rejected the last credentials, so a copy of them is useless. */
export type CredentialSource = (again: boolean) => Promise<AuthHeaders>;

/** Why there are no credentials. The message may be shown. */
export class CredentialProblem extends Error {}

/** Why a login has failed. */
export class LoginFailed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}
