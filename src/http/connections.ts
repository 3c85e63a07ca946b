import type http from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { networkModules } from '../base/network-modules.js';
import type { Clock } from '../base/time/clock.js';
import type { HttpDispatcherRequest, HttpDispatcherResponse } from '../options/http-dispatcher.js';
import type { HttpSettings } from '../options/settings.js';
import { defined } from '../options/value-rules.js';
import { connectLimit, forTunnel, openTunnels, ownName, placeOf, proxyHeaders } from './tunnels.js';

/**
 * A connection that is older than this is closed after its request, so that later requests reach a service that has
 * moved to another address.
 */
const LONGEST_KEPT_MS = 60_000;
/**
 * An idle connection is closed after this time. Some load balancers drop idle connections silently after a few seconds.
 */
const LONGEST_IDLE_MS = 4_000;

/** The HTTP connections to Flipt. */
export interface Connections {
  readonly dispatcher: {
    /** Sends one request. Rejects with the error of the network if the request fails before a response comes. */
    request(options: OwnRequest): Promise<HttpDispatcherResponse>;
  };
  /** Closes the sockets that this package has opened. A dispatcher of the user stays open. */
  readonly close: () => Promise<void>;
}

/** A request with a member that only this package's own connections understand. */
export interface OwnRequest extends HttpDispatcherRequest {
  /** Whether the process can end while the request is under way. */
  readonly isBackground?: boolean;
}

export function openConnections(origin: string, settings: HttpSettings, clock: Clock): Connections {
  const { dispatcher } = settings;
  if (dispatcher !== undefined) return { dispatcher, close: () => Promise.resolve() };
  return ownConnections(wayTo(new URL(origin), settings, clock), settings, clock);
}

/** Where requests are sent, and over which connections. */
interface Way {
  readonly isTls: boolean;
  /** The address of the service, or of a proxy that passes requests on. */
  readonly to: Pick<http.RequestOptions, 'host' | 'port' | 'socketPath'>;
  readonly agent: http.Agent;
  /**
   * The text before the path of each request: the address of the service if a proxy passes requests on, and otherwise
   * an empty text.
   */
  readonly before: string;
  /** Each request gets these headers, unless the request itself sets headers with the same names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly close: () => void;
}

/**
 * Chooses between a direct connection, a proxy that passes requests on, and a tunnel through a proxy. Direct
 * connections, proxies and tunnels all use Node's own HTTP connections, so that the same limits apply to all of them.
 * For an `http:` service, the proxy gets requests with their full address. For an `https:` service behind a proxy, an
 * agent opens connections that begin with CONNECT, which asks the proxy for a tunnel.
 */
function wayTo(service: URL, settings: HttpSettings, clock: Clock): Way {
  const { tls, socketPath, proxy } = settings;
  const kept = { keepAlive: true, timeout: LONGEST_IDLE_MS };
  const isTls = service.protocol === 'https:';
  if (proxy !== undefined && !isTls) {
    const isTlsToProxy = proxy.protocol === 'https:';
    const agent = isTlsToProxy
      ? new networkModules.https.Agent({ ...kept, servername: ownName(proxy) })
      : new networkModules.http.Agent(kept);
    const headers = { host: service.host, ...proxyHeaders(proxy) };
    const to = placeOf(proxy);
    return {
      isTls: isTlsToProxy,
      to,
      agent,
      before: service.origin,
      headers,
      close: agent.destroy.bind(agent),
    };
  }
  const agent = isTls
    ? new networkModules.https.Agent({ ...kept, ...defined(tls ?? {}) })
    : new networkModules.http.Agent(kept);
  const tunnels = proxy && openTunnels(service, proxy, settings, clock);
  if (tunnels) agent.createConnection = tunnels.connect;
  const close = () => {
    tunnels?.close();
    agent.destroy();
  };
  return {
    isTls,
    to: { ...placeOf(service), ...defined({ socketPath }) },
    agent,
    before: '',
    headers: {},
    close,
  };
}

/**
 * Makes connections that send with Node's own HTTP client. Loading another client would delay the first answer of a
 * process by some 60 ms.
 */
function ownConnections(way: Way, { timeoutMs }: HttpSettings, clock: Clock): Connections {
  const { isTls, to, agent, before } = way;
  const openedAt = new WeakMap<Duplex, number>();
  const keep: (socket: Duplex) => unknown = agent.keepSocketAlive.bind(agent);
  const idleSince = new WeakMap<Duplex, number>();
  agent.keepSocketAlive = (socket) => {
    idleSince.set(socket, clock.now());
    return keep(socket) !== false && clock.now() - (openedAt.get(socket) ?? 0) < LONGEST_KEPT_MS;
  };
  /**
   * Closes all connections that have been idle since the time `since`, or for longer. A load balancer can drop many
   * connections at once and silently, so idle connections might be as dead as the connection that has just failed.
   */
  const dropIdleSince = (since: number) => {
    for (const socket of Object.values(agent.freeSockets).flat()) {
      if (socket !== undefined && (idleSince.get(socket) ?? 0) <= since) socket.destroy();
    }
  };
  return {
    dispatcher: {
      request: ({ path, method, headers, body, signal, isBackground }: OwnRequest) =>
        new Promise((resolve, reject) => {
          const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
          const sentAt = clock.now();
          let hasAnswered = false;
          const asked = (isTls ? networkModules.https : networkModules.http).request(
            {
              ...to,
              agent,
              path: before + path,
              method,
              headers: { ...way.headers, ...headers, ...length },
              signal,
              ...forTunnel(signal),
            },
            (response) => {
              hasAnswered = true;
              resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body: response });
            },
          );
          const fail = (error: Error) => {
            const isStale = asked.reusedSocket && !hasAnswered;
            if (isStale) dropIdleSince(sentAt);
            // An error of a tunnel can already have the members `bytesRead` and `isOfProxy`.
            const facts = defined({
              bytesRead: asked.socket?.bytesRead,
              isOfProxy: before === '' ? undefined : true,
            });
            reject(Object.assign(error, facts, { isStale }));
          };
          asked.on('error', fail);
          // Without this listener, Node would close a connection that switches to another protocol, and the request
          // would never settle.
          asked.once('upgrade', (_, socket) => {
            socket.destroy();
            fail(new Error('the answer switches to another protocol'));
          });
          asked.once('socket', (socket) => {
            if (!openedAt.has(socket)) openedAt.set(socket, clock.now());
            if (isBackground) unref(socket);
            if (!socket.connecting) return;
            const cancel = connectLimit(timeoutMs, clock, (error) => asked.destroy(error));
            socket.once(isTls ? 'secureConnect' : 'connect', cancel).once('close', cancel);
          });
          asked.end(body);
        }),
    },
    close() {
      way.close();
      return Promise.resolve();
    },
  };
}

/** Lets the process end while the socket is open. The socket of a mock might have no `unref`. */
function unref(socket: Partial<Pick<Socket, 'unref'>>): void {
  socket.unref?.();
}
