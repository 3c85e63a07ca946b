import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { FliptProviderOptions } from '../../src/index.js';
import { PATIENCE_MS } from '../eventually.fixture.js';
import { makeCertificate } from './certificate.fixture.js';
import { INFO_PATH, SNAPSHOT_PATH } from '../servers/scripted.fixture.js';
import { goodBody } from './raw-server.fixture.js';
import { rig, type Outcome } from './rig.fixture.js';

export const authority = makeCertificate({ name: 'test authority' });
export const server127 = makeCertificate({
  name: 'service',
  hosts: ['127.0.0.1', 'localhost'],
  issuer: authority,
});

interface Listening extends AsyncDisposable {
  readonly port: number;
  readonly requests: IncomingMessage[];
}

/** Answers like the service, on a server of Node's. */
export const answering =
  (requests: IncomingMessage[]): RequestListener =>
  (request, response) => {
    if ([SNAPSHOT_PATH, INFO_PATH].some((path) => request.url?.includes(path))) {
      response.writeHead(404).end();
      return;
    }
    requests.push(request);
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => response.end(goodBody({ head: '', body, at: 0 })));
  };

export async function listening(
  server: Server,
  where: object,
  requests: IncomingMessage[] = [],
): Promise<Listening> {
  server.listen(where);
  await once(server, 'listening');
  const address = server.address() as AddressInfo | string;
  return {
    port: typeof address === 'string' ? 0 : address.port,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export const tlsService = (options: ServerOptions = {}) => {
  const requests: IncomingMessage[] = [];
  const server = createTlsServer(
    { cert: server127.cert, key: server127.key, ...options },
    answering(requests),
  );
  // Some tests mean handshakes to fail.
  server.on('tlsClientError', () => undefined);
  return listening(server, { host: '127.0.0.1', port: 0 }, requests);
};

export const PATIENT = { deadlineMs: PATIENCE_MS, initTimeoutMs: 400 } as const;

export async function askedOnce(url: string, options: FliptProviderOptions = {}): Promise<Outcome> {
  const http = { retries: 0, ...options.http };
  const { provider, ask } = rig(url, { ...PATIENT, ...options, http });
  try {
    return await ask('colour', 'ann');
  } finally {
    await provider.onClose();
  }
}
