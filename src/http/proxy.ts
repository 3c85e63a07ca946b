import type { Environment } from '../options/environment.js';
import type { ConnectionSettings } from '../options/settings.js';
import { unlessItThrows } from '../text/describe.js';
import { isCredentialName } from '../text/header.js';
import { isLoopback } from '../text/loopback.js';

/** The proxy through which requests to the service go; `undefined` without one. undici decides by the same rules. */
export function proxyFor(service: URL, proxy: string | undefined, env: Environment): URL | undefined {
  const address = proxy === 'env' ? fromEnvironment(service, env) : proxy;
  return address && URL.canParse(address) ? new URL(address) : undefined;
}

function fromEnvironment(service: URL, env: Environment): string | undefined {
  if (isExcepted(service, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  const { forHttp, forHttps } = proxiesIn(env);
  return (service.protocol === 'https:' && forHttps) || forHttp;
}

function proxiesIn(env: Environment) {
  return { forHttp: env.http_proxy ?? env.HTTP_PROXY, forHttps: env.https_proxy ?? env.HTTPS_PROXY };
}

/** Whether NO_PROXY has the host or a domain around it, for its port or for any. */
function isExcepted({ hostname, port, protocol }: URL, noProxy: string): boolean {
  if (noProxy === '*') return true;
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy.split(/[,\s]/).some((entry) => {
    const [, host = entry, excepted] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const domain = host.replace(/^\*?\./, '').toLowerCase();
    const isHost = hostname === domain || hostname.endsWith(`.${domain}`);
    return entry !== '' && isHost && (excepted === undefined || excepted === ownPort);
  });
}

/** What undici sends to proxies whose addresses hold a user and a password, and the passwords themselves. */
export function proxyCredentialsOf(proxy: string | undefined, env: Environment): readonly string[] {
  const addresses = proxy === 'env' ? Object.values(proxiesIn(env)) : [proxy];
  return addresses.flatMap((address) => {
    if (!address || !URL.canParse(address)) return [];
    const { username, password } = new URL(address);
    if (username === '' || password === '') return [];
    const [user, secret] = [decoded(username), decoded(password)];
    return [`Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`, secret];
  });
}

/** If the text cannot be decoded, undici reports that. */
function decoded(text: string): string {
  return unlessItThrows(() => decodeURIComponent(text)) ?? text;
}

/** Follows the address of the service in messages: what its failure may be due to. Empty if that is the service alone. */
export function besideAddress(
  { url, hasUrl, http }: Pick<ConnectionSettings, 'url' | 'hasUrl' | 'http'>,
  env: Environment,
): string {
  if (http.socketPath !== undefined) return '';
  const proxy = proxyFor(new URL(url), http.proxy, env);
  // Without its credentials.
  const through = proxy === undefined ? '' : ` through the proxy ${proxy.protocol}//${proxy.host}`;
  return `${through}${hasUrl ? '' : ' (neither the option url nor FLIPT_URL is set)'}`;
}

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
