import { Agent, request } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import type { Clock } from '../time/clock.js';
import type { HttpDispatcher } from '../options/http-options.js';
import type { ConnectionSettings } from '../options/settings.js';
import { fetchDispatcher, isWorkerd } from './fetch-dispatcher.js';

/** After this time a connection is not kept, so that a service that has moved is found. */
const LONGEST_KEPT_MS = 60_000;
/** Load balancers drop idle connections silently, many after a few seconds. */
const LONGEST_IDLE_MS = 4_000;

export interface Connections {
  readonly dispatcher: HttpDispatcher;
  /** Closes our sockets; the user's dispatcher stays open. */
  readonly close: () => Promise<void>;
}

type HttpSettings = ConnectionSettings['http'];

export function openConnections(origin: string, http: HttpSettings, clock: Clock): Connections {
  const { dispatcher = isWorkerd() ? fetchInstead(http) : undefined, proxy } = http;
  if (dispatcher !== undefined) return { dispatcher, close: () => Promise.resolve() };
  return proxy === undefined ? direct(origin, http, clock) : throughProxy(proxy, http);
}

/** Node's own HTTP: a process that loaded undici for its first answer would give it some 60 ms later. */
function direct(origin: string, http: HttpSettings, clock: Clock): Connections {
  const { timeoutMs, tls = {}, socketPath } = http;
  const url = new URL(origin);
  const kept = { keepAlive: true, timeout: LONGEST_IDLE_MS };
  const isTls = url.protocol === 'https:';
  const agent = isTls ? new TlsAgent({ ...kept, ...defined(tls) }) : new Agent(kept);
  const openedAt = new WeakMap<Duplex, number>();
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) =>
    keep(socket) !== false && clock.now() - (openedAt.get(socket) ?? 0) < LONGEST_KEPT_MS;
  const service = { ...urlToHttpOptions(url), ...defined({ socketPath }), agent };
  return {
    dispatcher: {
      request: ({ path, method, headers, body, signal }) =>
        new Promise((resolve, reject) => {
          const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
          const asked = request(
            { ...service, path, method, headers: { ...headers, ...length }, signal },
            (response) => {
              resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body: response });
            },
          );
          const fail = (error: Error) => {
            reject(Object.assign(error, { bytesRead: asked.socket?.bytesRead }));
          };
          asked.on('error', fail);
          // Otherwise Node closes the connection, and nothing else happens.
          asked.once('upgrade', (_, socket) => {
            socket.destroy();
            fail(new Error('the answer switches to another protocol'));
          });
          asked.once('socket', (socket) => {
            if (!openedAt.has(socket)) openedAt.set(socket, clock.now());
            if (!socket.connecting) return;
            const cancel = clock.after(timeoutMs, () => {
              const words = `no connection within ${timeoutMs} ms`;
              asked.destroy(Object.assign(new Error(words), { code: 'ETIMEDOUT' }));
            });
            socket.once(isTls ? 'secureConnect' : 'connect', cancel).once('close', cancel);
          });
          asked.end(body);
        }),
    },
    close() {
      agent.destroy();
      return Promise.resolve();
    },
  };
}

/**
 * Loads undici when a provider with a proxy starts. For a plain `http:` service, the proxy gets the full address, as
 * proxies expect. For `https:`, it opens a tunnel.
 */
function throughProxy(proxy: string, { timeoutMs, tls = {} }: HttpSettings): Connections {
  // By its file: Bun replaces the package by one of its own, whose agents neither send nor close.
  const loading = import('undici/index.js').then(({ EnvHttpProxyAgent, ProxyAgent }) => {
    const settings = {
      clientTtl: LONGEST_KEPT_MS,
      // The transport has its own time-outs.
      headersTimeout: 0,
      bodyTimeout: 0,
      requestTls: { ...defined(tls), timeout: timeoutMs },
      proxyTls: { timeout: timeoutMs },
      proxyTunnel: false,
    };
    return proxy === 'env' ? new EnvHttpProxyAgent(settings) : new ProxyAgent({ ...settings, uri: proxy });
  });
  // A proxy that cannot be used fails each request, not the process.
  const usable = loading.catch(() => undefined);
  return {
    dispatcher: { request: async (options) => (await loading).request(options) },
    close: async () => (await usable)?.destroy(),
  };
}

function fetchInstead(http: HttpSettings): HttpDispatcher {
  const option = (['proxy', 'tls', 'socketPath'] as const).find((name) => http[name] !== undefined);
  if (option === undefined) return fetchDispatcher();
  throw new TypeError(`http.${option}: this runtime sends with fetch, which cannot do that: leave it out`);
}

function defined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
