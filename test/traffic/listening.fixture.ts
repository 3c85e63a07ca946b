import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';

type Init = Parameters<typeof request>[1];

export interface Listening {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Serves on a port that the system chooses. */
export async function listening(handler: RequestListener): Promise<Listening> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: addressOf(server), close: () => closed(server) };
}

export function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/**
 * Returns the body of an answer, as JSON. It asks with undici, because `fetch` takes several times as long, which was
 * most of the work of a test with a crowd.
 */
export async function get(url: string, init: Init = {}, status = 200): Promise<unknown> {
  const { statusCode, body } = await request(url, init);
  const text = await body.text();
  if (statusCode !== status) throw new Error(`${statusCode}: ${text}`);
  return JSON.parse(text);
}
