/** What may stand in an HTTP header: a line break in a value would begin a header of its own. */
const VALUE = /^[\t -~\u0080-\u00ff]*$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers about the connection or the body's length: set by whoever sends, and refused by undici or dangerous else. */
const CONNECTION_HEADER =
  /^(?:connection|content-length|expect|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

export function isHeaderText(value: string): boolean {
  return VALUE.test(value);
}

export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

/** Not for `Host`: a service behind a gateway may well be asked for by another name than that of its address. */
export function isConnectionHeader(name: string): boolean {
  return CONNECTION_HEADER.test(name);
}
