import type http from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpSettings } from '../options/settings.js';
import { defined } from '../options/value-rules.js';
import { networkModules } from '../base/network-modules.js';
import type { Clock } from '../base/time/clock.js';
import { timeLimit } from '../base/time/in-time.js';
import { proxyAuthorization, proxyUserAdvice, PROXY_WANTS_USER } from './proxy.js';

/** Opens connections to an `https:` service through a proxy. */
export interface Tunnels {
  /** Opens a connection. Node's agents open their connections through a function of this form. */
  readonly connect: (options: http.ClientRequestArgs, opened: Opened) => undefined;
  /** Ends the connections that are not open yet. */
  readonly close: () => void;
}

type Opened = (error: Error | null, socket?: Duplex) => void;

/**
 * Asks the proxy for a tunnel with CONNECT, and begins TLS with the service inside of the tunnel. The proxy learns the
 * host and the port of the service, but sees no request. CONNECT and the beginning of TLS together take at most
 * `timeoutMs`, and end when the request that needs the tunnel ends.
 */
export function openTunnels(service: URL, proxy: URL, settings: HttpSettings, clock: Clock): Tunnels {
  const { tls = {}, timeoutMs } = settings;
  const { host, port } = placeOf(service);
  const authority = `${service.hostname}:${port}`;
  const opening = new Set<Ending>();
  return {
    connect(options, opened) {
      const asked = (proxy.protocol === 'https:' ? networkModules.https : networkModules.http).request({
        ...placeOf(proxy),
        servername: ownName(proxy),
        method: 'CONNECT',
        path: authority,
        headers: { host: authority, 'proxy-connection': 'keep-alive', ...proxyHeaders(proxy) },
        agent: false,
      });
      let socket: Pick<Duplex, 'destroy'> | http.ClientRequest = asked;
      const end: Ending = (error) => {
        if (!settled()) return;
        socket.destroy();
        opened(error);
      };
      const cancel = connectLimit(timeoutMs, clock, end);
      const signal = signalOf(options);
      const ended = () => {
        end(new Error('the request was ended'));
      };
      const settled = () => {
        cancel();
        signal?.removeEventListener('abort', ended);
        return opening.delete(end);
      };
      opening.add(end);
      signal?.addEventListener('abort', ended);
      asked.on('error', (error) => {
        end(Object.assign(error, { isOfProxy: true, bytesRead: asked.socket?.bytesRead }));
      });
      const refuse = ({ statusCode = 0 }) => {
        const advice = statusCode === PROXY_WANTS_USER ? `; ${proxyUserAdvice(proxy)}` : '';
        end(new Error(`the proxy answered CONNECT with ${statusCode}${advice}`));
      };
      // Some runtimes emit `response` and not `connect` if the proxy refuses CONNECT.
      asked.once('response', refuse);
      asked.once('connect', (answer, through: Socket) => {
        socket = through;
        const { statusCode = 0 } = answer;
        if (statusCode < 200 || statusCode > 299) {
          refuse(answer);
          return;
        }
        const servername = nameOf(options) ?? (isIP(host) === 0 ? host : undefined);
        const secured = networkModules.tls.connect({
          ...defined({ servername }),
          ...defined(tls),
          host,
          socket: through,
        });
        socket = secured;
        secured.on('error', end);
        secured.once('secureConnect', () => {
          if (settled()) opened(null, secured);
        });
      });
      asked.end();
    },
    close() {
      for (const end of opening) end(new Error('the connections are closed'));
    },
  };
}

/**
 * Returns an extra option for a request, which passes the request's signal to the tunnel, so that the tunnel ends
 * together with the request. Node itself does not pass the signal of a request to the agent.
 */
export function forTunnel(signal: AbortSignal): object {
  return { [TUNNEL_SIGNAL]: signal };
}

const TUNNEL_SIGNAL = 'tunnelSignal';

function signalOf(options: object): AbortSignal | undefined {
  const signal: unknown = Reflect.get(options, TUNNEL_SIGNAL);
  return signal instanceof AbortSignal ? signal : undefined;
}

/**
 * Returns the name that Node's agent expects in the certificate, which is the name in the header `Host` if the request
 * has this header.
 */
function nameOf(options: object): string | undefined {
  const name: unknown = Reflect.get(options, 'servername');
  return typeof name === 'string' && name !== '' ? name : undefined;
}

type Ending = (error: Error) => void;

/**
 * Calls `late` with an error if there is no connection within `timeoutMs`. Returns a function that cancels the limit.
 */
export function connectLimit(timeoutMs: number, clock: Clock, late: Ending): () => void {
  const dueAt = clock.now() + timeoutMs;
  const timeIsUp = (isBlocked: boolean) => {
    const words = `no connection within ${timeoutMs} ms${isBlocked ? '; the event loop was blocked' : ''}`;
    late(Object.assign(new Error(words), { code: 'ETIMEDOUT', isBlocked }));
  };
  return timeLimit(() => dueAt, clock, timeIsUp, { inSlices: true });
}

/** The host and the port that an address leads to, in the form that Node's HTTP takes. */
export interface HostAndPort {
  /** The host. An IPv6 address has no brackets here. */
  readonly host: string;
  readonly port: string;
}

export function placeOf({ protocol, hostname, port }: URL): HostAndPort {
  const host = hostname.replace(/^\[(.+)\]$/, '$1');
  return { host, port: port || (protocol === 'https:' ? '443' : '80') };
}

/**
 * The name that a proxy's certificate needs. Without it, Node takes the name in the header `Host`, which is the
 * service's. Node compares an address by itself, and sends no name for it.
 */
export function ownName(proxy: URL): string {
  const { host } = placeOf(proxy);
  return isIP(host) === 0 ? host : '';
}

/** Returns the headers that each request to a proxy has. */
export function proxyHeaders(proxy: URL): Readonly<Record<string, string>> {
  const authorization = proxyAuthorization(proxy);
  return authorization === undefined ? {} : { 'proxy-authorization': authorization };
}
