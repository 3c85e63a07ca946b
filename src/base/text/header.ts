/** Set by a user, they could make a server take a part of the body for another request. */
const CONNECTION_HEADER =
  /^(?:connection|content-length|expect|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

/** A line break would begin another header. */
export const isHeaderText = (value: string) => /^[\t -~\u0080-\u00ff]*$/.test(value);

/** After a scheme such as `Bearer`. */
export function isToken(text: string): boolean {
  return text !== '' && isHeaderText(text) && !text.includes(' ');
}

export const isHeaderName = (name: string) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);

/** Not `Host`: behind a gateway, a service can have another name than its address. */
export const isConnectionHeader = (name: string) => CONNECTION_HEADER.test(name);

export function lowerCaseNames<Value>(headers: Readonly<Record<string, Value>>) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The headers of the option `auth` are credentials whatever their names. */
export const isCredentialName = (name: string) =>
  /auth|token|key|secret|cookie|session|password|signature/i.test(name);

/** A longer one could make a request's headers larger than servers accept. Flipt's have 40 characters. */
const LONGEST_ETAG = 1_000;

/** With an ETag that cannot be sent back, each later poll would fail. */
export function sendableEtag(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ETAG && isHeaderText(value)
    ? value
    : undefined;
}
