/** An IPv6 address can have brackets. An IPv4 address must have its usual form, which `URL` makes of all others. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/.test(host);
}
