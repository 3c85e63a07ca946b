import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** A forward proxy. It takes requests with full addresses for `http:`, and opens tunnels for `https:`. */
export interface ForwardProxy extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** The requests that it got, in order, such as `CONNECT 127.0.0.1:443` or `POST http://…`. */
  readonly seen: readonly string[];
  /** Empties both lists. */
  readonly forget: () => void;
  /** The header Proxy-Authorization of each request. */
  readonly credentials: readonly (string | undefined)[];
}

/** @param tls The certificate of an `https:` proxy, with its key. Default: the proxy is an `http:` proxy. */
export async function forwardProxy(
  tls?: { readonly cert: string; readonly key: string },
  host = '127.0.0.1',
): Promise<ForwardProxy> {
  const seen: string[] = [];
  const credentials: (string | undefined)[] = [];
  const tunnels = new Set<Duplex>();
  const note = ({ method = '', url = '', headers }: IncomingMessage) => {
    seen.push(`${method} ${url}`);
    credentials.push(headers['proxy-authorization']);
  };
  const listener: RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    note(incoming);
    const headers = { ...incoming.headers };
    delete headers['proxy-authorization'];
    const onward = httpRequest(incoming.url ?? '', { method: incoming.method, headers });
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on('tlsClientError', () => undefined);
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    note(request);
    const [host, port] = (request.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const [end, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      tunnels.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        tunnels.delete(end);
        other.destroy();
      });
    }
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http${tls === undefined ? '' : 's'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    seen,
    credentials,
    forget() {
      seen.length = 0;
      credentials.length = 0;
    },
    async [Symbol.asyncDispose]() {
      for (const tunnel of tunnels) tunnel.destroy();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
