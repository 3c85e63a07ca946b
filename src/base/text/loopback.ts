/**
 * Returns whether a host name or address reaches this machine only. An IPv6 address can be in brackets, as in a URL. An
 * IPv4 address must be in its usual form; `URL` converts every other spelling to that form.
 */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/.test(host);
}
