/** Without line breaks, because one would begin another header. */
const VALUE = /^[\t -~\u0080-\u00ff]*$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Headers about the connection or the body's length. undici sets them itself. A second value is refused, or dangerous.
 */
const CONNECTION_HEADER =
  /^(?:connection|content-length|expect|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

export function isHeaderText(value: string): boolean {
  return VALUE.test(value);
}

export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

/** `Host` is allowed, because a service behind a gateway may have another name than its address. */
export function isConnectionHeader(name: string): boolean {
  return CONNECTION_HEADER.test(name);
}

const CREDENTIAL = /auth|token|key|secret|cookie|session|password|signature/i;

/** Whether a header's name says that it holds a credential. Headers of the option `auth` always do. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL.test(name);
}
