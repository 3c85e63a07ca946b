/**
 * Whether a host name or address reaches this machine only. An IPv6 address may be in brackets, as in a URL. Expects an
 * IPv4 address in its usual form; `URL` converts every other spelling to it.
 */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/.test(host);
}
