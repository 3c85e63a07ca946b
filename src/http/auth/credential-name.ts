const CREDENTIAL = /auth|token|key|secret|cookie|session|password|signature/i;

/** Whether a header holds a credential, by what its name says. Not to be asked of what `auth` gives: that is one. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL.test(name);
}
