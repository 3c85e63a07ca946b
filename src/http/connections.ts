import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import type { Clock } from '../time/clock.js';
import { loadedOnFirstUse } from '../time/background-work.js';
import { timeLimit } from '../time/in-time.js';
import type { HttpDispatcher, HttpDispatcherRequest } from '../options/http-dispatcher.js';
import type { ConnectionSettings } from '../options/settings.js';
import { set } from '../options/shapes.js';
import { fetchDispatcher, isWorkerd } from './fetch-dispatcher.js';

/** After this time a connection is not kept, so that a service that has moved is found. */
const LONGEST_KEPT_MS = 60_000;
/** Load balancers drop idle connections silently, many after a few seconds. */
const LONGEST_IDLE_MS = 4_000;

export interface Connections {
  readonly dispatcher: { request(options: OwnRequest): ReturnType<HttpDispatcher['request']> };
  /** Closes our sockets; the user's dispatcher stays open. */
  readonly close: () => Promise<void>;
}

/** What a user's dispatcher does not get. */
export interface OwnRequest extends HttpDispatcherRequest {
  /** The connection does not keep the process alive. */
  readonly isBackground?: boolean;
}

type HttpSettings = ConnectionSettings['http'];

export function openConnections(origin: string, settings: HttpSettings, clock: Clock): Connections {
  const { dispatcher = isWorkerd() ? fetchInstead(settings) : undefined, proxy } = settings;
  if (dispatcher !== undefined) return { dispatcher, close: () => Promise.resolve() };
  return proxy === undefined ? direct(origin, settings, clock) : throughProxy(proxy, origin, settings);
}

/** Node's own HTTP: a process that loaded undici for its first answer would give it some 60 ms later. */
function direct(origin: string, settings: HttpSettings, clock: Clock): Connections {
  const { timeoutMs, tls = {}, socketPath } = settings;
  const url = new URL(origin);
  const kept = { keepAlive: true, timeout: LONGEST_IDLE_MS };
  const isTls = url.protocol === 'https:';
  const agent = isTls ? new https.Agent({ ...kept, ...set(tls) }) : new http.Agent(kept);
  const openedAt = new WeakMap<Duplex, number>();
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  const idleSince = new WeakMap<Duplex, number>();
  agent.keepSocketAlive = (socket) => {
    idleSince.set(socket, clock.now());
    return keep(socket) !== false && clock.now() - (openedAt.get(socket) ?? 0) < LONGEST_KEPT_MS;
  };
  /** What has been idle since then may be as dead: a load balancer drops connections together, without a word. */
  const dropIdleSince = (since: number) => {
    for (const socket of Object.values(agent.freeSockets).flat()) {
      if (socket !== undefined && (idleSince.get(socket) ?? 0) <= since) socket.destroy();
    }
  };
  const service = { ...urlToHttpOptions(url), ...set({ socketPath }), agent };
  return {
    dispatcher: {
      request: ({ path, method, headers, body, signal, isBackground }: OwnRequest) =>
        new Promise((resolve, reject) => {
          const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
          const sentAt = clock.now();
          let hasAnswered = false;
          // Looked up for each request: mocks and tracers replace it on the module.
          const asked = (isTls ? https : http).request(
            { ...service, path, method, headers: { ...headers, ...length }, signal },
            (response) => {
              hasAnswered = true;
              resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body: response });
            },
          );
          const fail = (error: Error) => {
            const isStale = asked.reusedSocket && !hasAnswered;
            if (isStale) dropIdleSince(sentAt);
            reject(Object.assign(error, { bytesRead: asked.socket?.bytesRead, isStale }));
          };
          asked.on('error', fail);
          // Otherwise Node closes the connection, and nothing else happens.
          asked.once('upgrade', (_, socket) => {
            socket.destroy();
            fail(new Error('the answer switches to another protocol'));
          });
          asked.once('socket', (socket) => {
            if (!openedAt.has(socket)) openedAt.set(socket, clock.now());
            if (isBackground) unref(socket);
            if (!socket.connecting) return;
            const dueAt = clock.now() + timeoutMs;
            const late = (isBlocked: boolean) => {
              const words = `no connection within ${timeoutMs} ms${isBlocked ? '; the event loop was blocked' : ''}`;
              asked.destroy(Object.assign(new Error(words), { code: 'ETIMEDOUT', isBlocked }));
            };
            const cancel = timeLimit(() => dueAt, clock, late, { inSlices: true });
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
function throughProxy(proxy: string, origin: string, { timeoutMs, tls = {} }: HttpSettings): Connections {
  const isTunnel = origin.startsWith('https:');
  // By its file: Bun replaces the package by one of its own, whose agents neither send nor close.
  const agent = loadedOnFirstUse(async () => {
    const { EnvHttpProxyAgent, Pool, ProxyAgent } = await import('undici/index.js');
    const settings = {
      clientTtl: LONGEST_KEPT_MS,
      // The transport has its own time-outs.
      headersTimeout: 0,
      bodyTimeout: 0,
      requestTls: { ...set(tls), timeout: timeoutMs },
      proxyTls: { timeout: timeoutMs },
      proxyTunnel: false,
      // For a tunnel, this pool sends nothing but CONNECT. A proxy that does not answer it would keep the socket.
      ...(isTunnel && {
        clientFactory: (address: URL, options: object) =>
          new Pool(address, { ...options, headersTimeout: timeoutMs }),
      }),
    };
    return proxy === 'env' ? new EnvHttpProxyAgent(settings) : new ProxyAgent({ ...settings, uri: proxy });
  });
  // A proxy that cannot be used fails each request, not the process.
  agent.use().catch(() => undefined);
  return {
    dispatcher: { request: async (options) => (await agent.use()).request(options) },
    close: async () => (await agent.current()?.catch(() => undefined))?.destroy(),
  };
}

function fetchInstead(settings: HttpSettings): HttpDispatcher {
  const option = (['proxy', 'tls', 'socketPath'] as const).find((name) => settings[name] !== undefined);
  if (option === undefined) return fetchDispatcher();
  throw new TypeError(`http.${option}: this runtime sends with fetch, which cannot do that: leave it out`);
}

/** A mock's socket may lack it. */
function unref(socket: Partial<Pick<Socket, 'unref'>>): void {
  socket.unref?.();
}
