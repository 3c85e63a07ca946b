/**
 * Whether a host name or address reaches this machine only. An IPv6 address may be in brackets, as in a URL. An IPv4
 * address must be in its usual form, to which `URL` converts every other spelling.
 */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/.test(host);
}
