import { once, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Handler } from './handler.js';

export const TIMEOUTS = {
  /**
   * The longest times, in milliseconds, in which the headers of a request, and the whole request, can arrive. The
   * service closes the connection of a request that takes longer.
   */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /**
   * The longest time, in milliseconds, for which `close` waits for requests in flight. After this time, `close` ends
   * all connections, so that closing the service takes at most 2 s in all.
   */
  closeTimeoutMs: 1_500,
};

export type ListenOptions = Readonly<typeof TIMEOUTS & { port: number; host: string }>;

export type Listener = Awaited<ReturnType<typeof listen>>;

/**
 * Starts an HTTP server that passes each request to `handler`. If the port is not free, `listen` rejects with Node's
 * error.
 */
export async function listen(handler: Handler, options: ListenOptions) {
  const { headersTimeoutMs: headersTimeout, requestTimeoutMs: requestTimeout } = options;
  const connectionsCheckingInterval = Math.min(1000, headersTimeout);
  const server = createServer({ headersTimeout, requestTimeout, connectionsCheckingInterval });
  let requests = 0;
  let inFlight = 0;
  let closing: Promise<void> | undefined;
  const ending = new AbortController();
  // `setMaxListeners(0, …)` turns off Node's warning about many listeners, because each open stream adds a listener to
  // the signal.
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
  // If the server cannot listen on the port, `once` rejects with the server's error.
  await once(server, 'listening');

  return {
    url: urlOf(server.address()),
    /** The number of requests that the service has received so far. */
    get requests() {
      return requests;
    },
    /**
     * Stops accepting requests, ends all streams, waits up to `closeTimeoutMs` for the requests that are in flight, and
     * ends all connections.
     */
    close: () => (closing ??= close()),
  };
}

function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
