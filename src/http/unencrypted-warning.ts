import type { Environment } from '../options/environment.js';
import type { ConnectionSettings } from '../options/settings.js';
import { isCredentialName } from '../text/header.js';
import { isLoopback } from '../text/loopback.js';
import { proxyFor } from './proxy.js';

/** A warning if credentials would travel unencrypted between machines: the service's, or those of a proxy. */
export function plainTextWarning(settings: ConnectionSettings, env: Environment): string | undefined {
  const { url, auth, headers, http } = settings;
  if (http.socketPath !== undefined) return undefined;
  const service = new URL(url);
  const proxy = proxyFor(service, http.proxy, env);
  const hasCredential = auth !== undefined || Object.keys(headers).some(isCredentialName);
  // Through a proxy, `localhost` is the proxy's machine.
  const isLocal = isLoopback(service.hostname) && (proxy === undefined || isLoopback(proxy.hostname));
  if (hasCredential && service.protocol === 'http:' && !isLocal) {
    const through = proxy === undefined ? '' : ` through the proxy ${proxy.hostname}`;
    return `credentials for Flipt are sent unencrypted to ${service.hostname}${through}: use an https: address (url)`;
  }
  if (proxy?.protocol === 'http:' && proxy.password !== '' && !isLoopback(proxy.hostname)) {
    return `the password of the proxy is sent unencrypted to ${proxy.hostname}: use an https: address (http.proxy)`;
  }
  return undefined;
}
