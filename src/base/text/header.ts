/** Set by a user, they could make a server take a part of the body for another request. */
const CONNECTION_HEADER =
  /^(?:connection|content-length|expect|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

/** A line break would begin another header. */
export const isHeaderText = (value: string) => /^[\t -~\u0080-\u00ff]*$/.test(value);

export const isHeaderName = (name: string) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);

/** Not `Host`: behind a gateway, a service can have another name than its address. */
export const isConnectionHeader = (name: string) => CONNECTION_HEADER.test(name);

export function lowerCaseNames<Value>(headers: Readonly<Record<string, Value>>) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The headers of the option `auth` are credentials whatever their names. */
export const isCredentialName = (name: string) =>
  /auth|token|key|secret|cookie|session|password|signature/i.test(name);
