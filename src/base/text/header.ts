/**
 * These headers are about the connection or the length of the body. If a user could set one of these headers, servers
 * might refuse the request, or take a part of its body for another request.
 */
const CONNECTION_HEADER =
  /^(?:connection|content-length|expect|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * Returns whether a text can be the value of a header. A header's value must have no line breaks, because a line break
 * would begin another header.
 */
export const isHeaderText = (value: string) => /^[\t -~\u0080-\u00ff]*$/.test(value);

/** Returns whether a text can be sent as a token in the header Authorization, after a scheme such as `Bearer`. */
export function isToken(text: string): boolean {
  return text !== '' && isHeaderText(text) && !text.includes(' ');
}

export const isHeaderName = (name: string) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);

/**
 * Returns whether a header belongs to the connection, so that users must not set it. Users can set `Host`, because a
 * service behind a gateway can have a name that differs from its address.
 */
export const isConnectionHeader = (name: string) => CONNECTION_HEADER.test(name);

/** Returns headers with their names in lower case. Capitals make no difference in the name of a header. */
export function lowerCaseNames<Value>(headers: Readonly<Record<string, Value>>) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * Returns whether the name of a header suggests that the header holds a credential. The headers of the option `auth`
 * always count as credentials, whatever their names are.
 */
export const isCredentialName = (name: string) =>
  /auth|token|key|secret|cookie|session|password|signature/i.test(name);

/**
 * With a longer ETag, the headers of a request could be larger than servers accept. Flipt's ETags have 40 characters.
 */
const LONGEST_ETAG = 1_000;

/**
 * Returns an ETag if it can be sent back to the service, and otherwise `undefined`. If the provider kept an ETag that
 * cannot be sent, each later poll would fail.
 */
export function sendableEtag(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ETAG && isHeaderText(value)
    ? value
    : undefined;
}
