import type { ConnectionSettings } from '../options/settings.js';
import { isCredentialName } from '../text/header.js';
import { isLoopback } from '../text/loopback.js';

/** A warning if credentials would travel unencrypted to another machine. */
export function plainTextWarning({ url, auth, headers, http }: ConnectionSettings): string | undefined {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' || http.socketPath !== undefined || isLoopback(hostname)) return undefined;
  const hasCredential = auth !== undefined || Object.keys(headers).some(isCredentialName);
  return hasCredential
    ? `credentials for Flipt are sent unencrypted to ${hostname}: use an https: address (url)`
    : undefined;
}
