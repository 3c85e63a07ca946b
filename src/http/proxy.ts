import type { ConnectionSettings } from '../options/settings.js';
import { isCredentialName } from '../base/text/header.js';
import { isLoopback } from '../base/text/loopback.js';

/** With this HTTP status, a proxy asks for credentials for the proxy itself. */
export const PROXY_WANTS_USER = 407;
/** The advice about the status 407 if the address of the proxy has no user. */
export const PROXY_USER_ADVICE = 'it asks for the user and the password that belong into its address';

/** Returns the advice about the status 407, which depends on whether the proxy's address has a user. */
export function proxyUserAdvice(proxy: URL | undefined): string {
  if (proxy === undefined || proxyAuthorization(proxy) === undefined) return PROXY_USER_ADVICE;
  return 'the proxy refused the user and the password in its address';
}

/**
 * Returns the value of the header with which a proxy gets the user and the password in its address, or `undefined` if
 * the address has neither.
 */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username + password === '') return undefined;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(user).toString('base64')}`;
}

/**
 * Returns the secrets of a proxy, which must never be shown: the header that the proxy gets, and the password itself.
 * Without a password, the user counts as a secret, because it might be a token.
 */
export function proxySecrets(proxy: URL | undefined): readonly string[] {
  const sent = proxy && proxyAuthorization(proxy);
  if (proxy === undefined || sent === undefined) return [];
  return [sent, decodeURIComponent(proxy.password || proxy.username)];
}

/**
 * Returns a text for the place after Flipt's address in messages. The text names a possible cause of a failure: the
 * proxy in use, or that nobody has set the address. The text is empty if somebody has set Flipt's address and no proxy
 * is in use, or if the requests go to a Unix domain socket.
 */
export function besideAddress({ hasUrl, http }: Pick<ConnectionSettings, 'hasUrl' | 'http'>): string {
  const { socketPath, proxy } = http;
  if (socketPath !== undefined) return '';
  // The words name the proxy without its credentials.
  const through = proxy === undefined ? '' : ` through the proxy ${proxy.protocol}//${proxy.host}`;
  return `${through}${hasUrl ? '' : ' (neither the option url nor FLIPT_URL is set)'}`;
}

/**
 * Returns advice for the end of the message about a failed connection or a time-out, if somebody might expect a proxy
 * and none is used. The text is empty if nobody expects a proxy, or if Flipt is on this machine.
 */
export function noProxyAdvice({ url, http }: Pick<ConnectionSettings, 'url' | 'http'>): string {
  const { whyNoProxy } = http;
  return whyNoProxy === undefined || isLoopback(new URL(url).hostname) ? '' : `; ${whyNoProxy}`;
}

/** Returns a warning if credentials for Flipt, or for a proxy, would travel unencrypted between machines. */
export function plainTextWarning(settings: ConnectionSettings): string | undefined {
  const { url, auth, headers, http } = settings;
  const { socketPath, proxy } = http;
  if (socketPath !== undefined) return undefined;
  const service = new URL(url);
  const hasCredential = auth !== undefined || Object.keys(headers).some(isCredentialName);
  // A proxy on another machine would take `localhost` for its own machine.
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
