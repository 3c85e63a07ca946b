import type { Agent } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import type { buildConnector, Pool, ProxyAgent } from 'undici';
import * as v from 'valibot';
import { isPlainObject, kindReturned } from '../base/text/describe.js';
import type { Clock } from '../base/time/clock.js';
import { checkOptions } from '../options/check-options.js';
import type { HttpDispatcherRequest, HttpDispatcherResponse } from '../options/http-dispatcher.js';
import { certificates, type TlsOptions } from '../options/http-options.js';
import type { ConnectionSettings } from '../options/settings.js';
import { defined } from '../options/value-rules.js';
import { thrownBy } from './credentials.js';

/** Connecting has this time of its own, beside `http.timeoutMs`: over 250 ms of round trip, TLS needs 500 ms. */
export const CONNECT_MS = 3_000;
/** Some load balancers drop idle connections after a few seconds without a word. */
const LONGEST_IDLE_MS = 4_000;
/** So that requests reach a service whose name has another address now, though its old one still answers. */
const NEW_AGENT_MS = 60_000;

export interface Connections {
  /** Calls `connected` when the connection stands, if `showsConnecting`. */
  readonly request: (
    request: HttpDispatcherRequest,
    connected: () => void,
  ) => Promise<HttpDispatcherResponse>;
  readonly showsConnecting: boolean;
  readonly close: () => Promise<void>;
}

export function openConnections({ url, headers, http }: ConnectionSettings, clock: Clock): Connections {
  const { dispatcher, proxy } = http;
  if (dispatcher !== undefined) {
    const request = async (asked: HttpDispatcherRequest) => dispatcher.request(asked);
    return { request, showsConnecting: false, close: () => Promise.resolve() };
  }
  const service = new URL(url);
  return proxy === undefined
    ? direct(service, http, clock)
    : throughProxy(proxy, service, headers.host, http);
}

/*
 * No socket keeps the process alive, because whoever waits for an answer has a timer that does. Polls and streams have
 * none.
 */

function direct(service: URL, { tls, socketPath }: ConnectionSettings['http'], clock: Clock): Connections {
  const isTls = service.protocol === 'https:';
  // An `import` of `node:http` reads all of its exports, and one of them loads Node's own undici, which takes 30 ms. The
  // module is read for each request, because mocks and tracers replace its functions.
  const node = () => process.getBuiltinModule(isTls ? 'node:https' : 'node:http');
  const kept = { keepAlive: true, timeout: LONGEST_IDLE_MS };
  // A resumed TLS session would keep the client certificate with which it began.
  const fixed = typeof tls === 'function' ? { maxCachedSessions: 0 } : defined(tls ?? {});
  const newAgent = (): Agent => {
    const its = new (node().Agent)({ ...kept, ...fixed });
    if (typeof tls === 'function') asking(its, tls);
    return its;
  };
  let agent = newAgent();
  let since = clock.now();
  const { protocol, hostname, port } = urlToHttpOptions(service);
  return {
    showsConnecting: true,
    request: ({ path, method, headers, body, signal }, connected) =>
      new Promise((resolve, reject) => {
        // Node would write the headers in UTF-8 beside a body that is text.
        const bytes = body === null ? undefined : Buffer.from(body);
        const length = bytes && { 'content-length': bytes.length };
        const to = { protocol, hostname, port, ...defined({ socketPath }) };
        let hasAnswered = false;
        if (clock.now() - since >= NEW_AGENT_MS) {
          agent = newAgent();
          since = clock.now();
        }
        const sent = node().request(
          { ...to, agent, path, method, headers: { ...headers, ...length }, signal },
          (reply) => {
            hasAnswered = true;
            connected();
            resolve({ statusCode: reply.statusCode ?? 0, headers: reply.headers, body: reply });
          },
        );
        sent.once('socket', (socket: Socket) => {
          unref(socket);
          if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', connected);
          else connected();
        });
        sent.on('error', (error) => {
          const bytesRead = sent.socket?.bytesRead;
          // Where one connection has died without a word, the idle ones may be dead, too.
          if (!hasAnswered && !isGivenUp(signal))
            for (const idle of Object.values(agent.freeSockets).flat()) idle?.destroy();
          reject(
            Object.assign(error, defined({ bytesRead }), { isStale: sent.reusedSocket && !hasAnswered }),
          );
        });
        // Node ends a connection that switches to another protocol without an error.
        sent.once('close', () => {
          reject(new Error('the connection was closed without an answer'));
        });
        sent.end(bytes);
      }),
    close() {
      agent.destroy();
      return Promise.resolve();
    },
  };
}

/** By the caller: a time-out aborts, too. */
function isGivenUp({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof Error && reason.name === 'TimeoutError');
}

/** The socket of a mock may have no `unref`. */
function unref(socket: Partial<Pick<Socket, 'unref'>>): void {
  socket.unref?.();
}

/** Asks for the certificates for each new connection. */
function asking(agent: Agent, tls: () => TlsOptions): void {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, opened) => {
    return connect({ ...options, ...defined(certificatesOf(tls)) }, opened);
  };
}

const returned = { owner: 'http.tls as a function', shape: v.object({ 'http.tls': certificates }) };

function certificatesOf(tls: () => unknown): TlsOptions {
  const given = givenBy(tls);
  if (!isPlainObject(given)) throw new TypeError(`http.tls returned ${kindReturned(given)}, no certificates`);
  return checkOptions(returned, { 'http.tls': given })['http.tls'];
}

function givenBy(tls: () => unknown): unknown {
  try {
    return tls();
  } catch (error) {
    throw thrownBy('http.tls', error);
  }
}

/** How undici opens one connection. */
type Connector = buildConnector.connector;

/** For an `http:` service, an `http:` proxy gets whole requests. Every other proxy is asked for a tunnel with CONNECT. */
function throughProxy(
  proxy: URL,
  service: URL,
  hostHeader: string | undefined,
  { tls }: ConnectionSettings['http'],
): Connections {
  let agent: Promise<ProxyAgent> | undefined;
  const open = async () => {
    // undici takes as long to load as OpenFeature's SDK.
    const undici = await import('undici');
    const pool = (connector: Connector, origin: string | URL, options: object, headersTimeout = 0): Pool =>
      new undici.Pool(origin, {
        ...options,
        connect: connector,
        headersTimeout,
        bodyTimeout: 0,
        clientTtl: NEW_AGENT_MS,
      });
    const token = proxyAuthorization(proxy);
    return new undici.ProxyAgent({
      uri: proxy.origin,
      ...(token !== undefined && { token }),
      proxyTunnel: false,
      requestTls: {
        ...defined({ servername: nameIn(hostHeader), ...(typeof tls === 'object' && tls) }),
        timeout: CONNECT_MS,
      },
      proxyTls: { timeout: CONNECT_MS },
      // The connections for CONNECT.
      clientFactory: (origin, options) => pool(toProxy(connectorOf(options)), origin, options, CONNECT_MS),
      // The connections for requests: tunnels, or connections to the proxy that passes requests on.
      factory: (origin, options) => {
        const connect = connectorOf(options);
        return pool(
          String(origin) === service.origin ? throughTunnel(connect) : toProxy(connect),
          origin,
          options,
        );
      },
    });
  };
  return {
    showsConnecting: false,
    request: async (request) => (await (agent ??= open())).request(request),
    async close() {
      await (await agent)?.destroy();
    },
  };
}

function connectorOf(options: object): Connector {
  return Reflect.get(options, 'connect') as Connector;
}

/** Undici would take an address for the name in the proxy's certificate, which Node warns of. */
const toProxy =
  (connect: Connector): Connector =>
  (options, opened) => {
    const { hostname } = options;
    const servername = isIP(hostname) === 0 ? hostname : '';
    connect(
      { ...options, servername },
      ended(opened, () => true),
    );
  };

const throughTunnel =
  (connect: Connector): Connector =>
  (options, opened) => {
    // What Node says is about the service's TLS, and what undici says about CONNECT.
    connect(
      options,
      ended(opened, (error) => error.name === 'HTTPParserError' || /^UND_ERR/.test(codeOf(error))),
    );
  };

function ended(
  opened: buildConnector.Callback,
  isOfProxy: (error: Error) => boolean,
): buildConnector.Callback {
  return (...[error, socket]) => {
    if (error === null) {
      // Undici refs a socket while a request is under way.
      socket.unref();
      socket.ref = () => socket;
      opened(null, socket);
      return;
    }
    Object.assign(error, { isOfProxy: Reflect.get(error, 'isOfProxy') === true || isOfProxy(error) });
    // Undici would connect again and again.
    if (codeOf(error) === 'UND_ERR_SOCKET') Object.assign(error, { code: 'ECONNRESET' });
    opened(error, null);
  };
}

const codeOf = (error: Error) => ('code' in error ? String(error.code) : '');

/** The name that a header `Host` expects in the certificate, as Node's own agent reads it. */
function nameIn(host: string | undefined): string | undefined {
  const name = host?.replace(/:\d*$/, '');
  return name === undefined || name.startsWith('[') || isIP(name) !== 0 ? undefined : name;
}

/** Without a password, a proxy gets an empty one. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username + password === '') return undefined;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(user).toString('base64')}`;
}
