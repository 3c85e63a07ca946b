import type { ConnectionSettings } from '../options/settings.js';
import { isCredentialName } from './auth/credential-name.js';

/** A warning where credentials would travel unencrypted to another machine. */
export function plainTextWarning({ url, auth, headers, http }: ConnectionSettings): string | undefined {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' || http.socketPath !== undefined || isLoopback(hostname)) return undefined;
  const hasCredential = auth !== undefined || Object.keys(headers).some(isCredentialName);
  return hasCredential
    ? `credentials for Flipt are sent unencrypted to ${hostname}: use an https: address (url)`
    : undefined;
}

/** `URL` has already written every spelling of an address in its one form. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === '[::1]' || /^(?:.+\.)?localhost\.?$/.test(hostname) || /^127(?:\.\d+){3}$/.test(hostname)
  );
}
