/**
 * Headers about the connection or the body's length. Node sets them itself. A second value is refused, or dangerous.
 */
const CONNECTION_HEADER =
  /^(?:connection|content-length|expect|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

/** Without line breaks, because one would begin another header. */
export const isHeaderText = (value: string) => /^[\t -~\u0080-\u00ff]*$/.test(value);

/** Whether the text can be sent as a token, after its scheme. */
export function isToken(text: string): boolean {
  return text !== '' && isHeaderText(text) && !text.includes(' ');
}

export const isHeaderName = (name: string) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);

/** `Host` is allowed, because a service behind a gateway may have another name than its address. */
export const isConnectionHeader = (name: string) => CONNECTION_HEADER.test(name);

/** Names of headers are the same in capitals. */
export function lowerCaseNames<Value>(headers: Readonly<Record<string, Value>>) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Whether a header's name says that it holds a credential. Headers of the option `auth` always do. */
export const isCredentialName = (name: string) =>
  /auth|token|key|secret|cookie|session|password|signature/i.test(name);

/** A longer one would exceed what servers accept as a request's headers. Flipt's have 40 characters. */
const LONGEST_ETAG = 1_000;

/**
 * An ETag that can be sent back. Any other counts as none: a request with it would fail each time, and nothing would be
 * learned from the service any more.
 */
export function sendableEtag(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ETAG && isHeaderText(value)
    ? value
    : undefined;
}
