import { once, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Handler } from './handler.js';

export const TIMEOUTS = {
  /** For a request's headers, and for the whole request. After that, its connection is closed. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /** That `close` waits for requests in flight. The rest of 2 s is for the end of connections and the last save. */
  closeTimeoutMs: 1_500,
};

export type ListenOptions = Readonly<typeof TIMEOUTS & { port: number; host: string }>;

export type Listener = Awaited<ReturnType<typeof listen>>;

/** Serves a handler over HTTP. Rejects with node's error if the port is not free. */
export async function listen(handler: Handler, options: ListenOptions) {
  const { headersTimeoutMs: headersTimeout, requestTimeoutMs: requestTimeout } = options;
  const connectionsCheckingInterval = Math.min(1000, headersTimeout);
  const server = createServer({ headersTimeout, requestTimeout, connectionsCheckingInterval });
  let requests = 0;
  let inFlight = 0;
  let closing: Promise<void> | undefined;
  const ending = new AbortController();
  // Each stream adds a listener, so many of them are no leak.
  setMaxListeners(0, ending.signal);

  server.on('request', (request, response) => {
    requests++;
    inFlight++;
    response.once('close', () => {
      inFlight--;
      if (closing && inFlight === 0) server.closeAllConnections();
    });
    void handler(request, response, ending.signal);
  });

  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    ending.abort();
    if (inFlight === 0) server.closeAllConnections();
    else server.closeIdleConnections();
    const patience = setTimeout(() => {
      server.closeAllConnections();
    }, options.closeTimeoutMs);
    await closed;
    clearTimeout(patience);
  };

  server.listen(options.port, options.host);
  // It rejects with the server's error.
  await once(server, 'listening');

  return {
    url: urlOf(server.address()),
    /** Requests received so far. */
    get requests() {
      return requests;
    },
    /** Accepts no more requests, finishes those in flight, and ends streams and all connections. */
    close: () => (closing ??= close()),
  };
}

function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
