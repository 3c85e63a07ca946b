import { EnvHttpProxyAgent, Pool, ProxyAgent } from 'undici';
import type { HttpDispatcher } from '../options/provider-options.js';
import type { ConnectionSettings } from '../options/settings.js';

/** After this time a connection is not used again, so that a service that has moved is found. */
const CLIENT_TTL_MS = 60_000;

export interface Connections {
  readonly dispatcher: HttpDispatcher;
  /** Closes our sockets; the user's dispatcher stays open. */
  readonly close: () => Promise<void>;
}

/** How long undici itself waits. Default: five minutes, because the transport has its own time-outs. */
export interface ConnectionTimeouts {
  readonly headersTimeout?: number;
  readonly bodyTimeout?: number;
}

export function openConnections(
  origin: string,
  { http }: ConnectionSettings,
  timeouts: ConnectionTimeouts = {},
): Connections {
  if (http.dispatcher !== undefined) return { dispatcher: http.dispatcher, close: () => Promise.resolve() };
  const { timeoutMs, proxy, tls = {}, socketPath } = http;
  const connect = { ...defined(tls), timeout: timeoutMs };
  const pooled = { ...timeouts, clientTtl: CLIENT_TTL_MS, connect };
  const own =
    proxy === undefined
      ? new Pool(origin, socketPath === undefined ? pooled : { ...pooled, socketPath })
      : proxyAgent(proxy, { ...pooled, requestTls: connect, proxyTls: { timeout: timeoutMs } });
  return { dispatcher: own, close: () => own.destroy() };
}

type ProxySettings = Omit<ProxyAgent.Options, 'uri'>;

/** For a plain `http:` service, the proxy gets the full address, as proxies expect. For `https:`, it opens a tunnel. */
function proxyAgent(proxy: string, pooled: ProxySettings): ProxyAgent | EnvHttpProxyAgent {
  const settings = { ...pooled, proxyTunnel: false };
  return proxy === 'env' ? new EnvHttpProxyAgent(settings) : new ProxyAgent({ ...settings, uri: proxy });
}

function defined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
