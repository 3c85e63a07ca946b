import type { ConnectionSettings } from '../options/settings.js';
import { isCredentialName } from '../base/text/header.js';
import { isLoopback } from '../base/text/loopback.js';

/** What a proxy gets if its address holds a user or a password. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username + password === '') return undefined;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(user).toString('base64')}`;
}

/** What is never shown of a proxy: what it gets, and the password itself. A user without a password may be a token. */
export function proxySecrets(proxy: URL | undefined): readonly string[] {
  const sent = proxy && proxyAuthorization(proxy);
  if (proxy === undefined || sent === undefined) return [];
  return [sent, decodeURIComponent(proxy.password || proxy.username)];
}

/** Follows the address of the service in messages: what its failure may be due to. Empty if that is the service alone. */
export function besideAddress({ hasUrl, http }: Pick<ConnectionSettings, 'hasUrl' | 'http'>): string {
  const { socketPath, proxy } = http;
  if (socketPath !== undefined) return '';
  // Without its credentials.
  const through = proxy === undefined ? '' : ` through the proxy ${proxy.protocol}//${proxy.host}`;
  return `${through}${hasUrl ? '' : ' (neither the option url nor FLIPT_URL is set)'}`;
}

/**
 * Ends the message about a connection that failed, if the environment names a proxy that was not used; empty otherwise,
 * and for this machine.
 */
export function unusedProxyAdvice({ url, http }: Pick<ConnectionSettings, 'url' | 'http'>): string {
  const { unusedProxy } = http;
  if (unusedProxy === undefined || isLoopback(new URL(url).hostname)) return '';
  return `; ${unusedProxy} is set, but not used: set http.proxy to 'env' if Flipt is behind that proxy`;
}

/** A warning if credentials would travel unencrypted between machines: the service's, or those of a proxy. */
export function plainTextWarning(settings: ConnectionSettings): string | undefined {
  const { url, auth, headers, http } = settings;
  const { socketPath, proxy } = http;
  if (socketPath !== undefined) return undefined;
  const service = new URL(url);
  const hasCredential = auth !== undefined || Object.keys(headers).some(isCredentialName);
  // Through a proxy, `localhost` is the proxy's machine.
  const isLocal = isLoopback(service.hostname) && (proxy === undefined || isLoopback(proxy.hostname));
  if (hasCredential && service.protocol === 'http:' && !isLocal) {
    const through = proxy === undefined ? '' : ` through the proxy ${proxy.hostname}`;
    return `credentials for Flipt are sent unencrypted to ${service.hostname}${through}: use an https: address (url)`;
  }
  if (proxy?.protocol === 'http:' && proxyAuthorization(proxy) !== undefined && !isLoopback(proxy.hostname)) {
    return `the password of the proxy is sent unencrypted to ${proxy.hostname}: use an https: address (http.proxy)`;
  }
  return undefined;
}
