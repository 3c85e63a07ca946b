import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { listening, server127 } from '../faults/node-server.fixture.js';

type PeerName = PeerCertificate['subject']['CN'] | undefined;

/** A service behind TLS. */
export interface TlsFront {
  readonly url: string;
  /** The requests that got through TLS. */
  readonly requests: readonly IncomingMessage[];
  /** The names of the client certificates that these requests had. */
  readonly clients: readonly PeerName[];
}

/** Puts a gateway with TLS before a service, which ends after the test. @param where Default: a port of its own. */
export async function tlsFront(
  service: string,
  options: ServerOptions = {},
  where: object = { host: '127.0.0.1', port: 0 },
): Promise<TlsFront> {
  const requests: IncomingMessage[] = [];
  const clients: PeerName[] = [];
  const identity = { cert: server127.cert, key: server127.key };
  const server = createServer({ ...identity, ...options }, (incoming, outgoing) => {
    requests.push(incoming);
    const certificate = (incoming.socket as TLSSocket).getPeerCertificate();
    // The certificate is empty if the client gave none.
    clients.push('subject' in certificate ? certificate.subject.CN : undefined);
    const headers = { ...incoming.headers };
    delete headers.host;
    const onward = httpRequest(service + (incoming.url ?? ''), { method: incoming.method, headers });
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.on('close', () => onward.destroy());
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  // Some tests mean handshakes to fail.
  server.on('tlsClientError', () => undefined);
  const { port, ...front } = await listening(server, where);
  onTestFinished(() => front[Symbol.asyncDispose]());
  return { url: `https://127.0.0.1:${port}`, requests, clients };
}
