import dns from 'node:dns';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { connect, isIP, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { Agent, Client, MockAgent, Pool } from 'undici';
import { Agent as Agent6 } from 'undici6';
import { afterEach, expect, it, vi } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import { makeCertificate } from './certificate.js';
import { goodBody, rawServer, reply, well } from './raw-server.js';
import { MARGIN_MS, rig, until, type Outcome } from './rig.js';

const DAY_MS = 86_400_000;
const authority = makeCertificate({ name: 'test authority' });
const server127 = makeCertificate({ name: 'service', hosts: ['127.0.0.1', 'localhost'], issuer: authority });
const client = makeCertificate({ name: 'client', issuer: authority });

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

interface Listening extends AsyncDisposable {
  readonly port: number;
  readonly requests: IncomingMessage[];
}

/** The service on a server of Node's. */
const answering =
  (requests: IncomingMessage[]): RequestListener =>
  (request, response) => {
    requests.push(request);
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => response.end(goodBody({ head: '', body, at: 0 })));
  };

async function listening(
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

const tlsService = (options: ServerOptions = {}) => {
  const requests: IncomingMessage[] = [];
  const server = createTlsServer(
    { cert: server127.cert, key: server127.key, ...options },
    answering(requests),
  );
  // Handshakes that are meant to fail.
  server.on('tlsClientError', () => undefined);
  return listening(server, { host: '127.0.0.1', port: 0 }, requests);
};

/** A forward proxy: full addresses for http:, tunnels for https:. */
async function forwardProxy() {
  const seen: string[] = [];
  const tunnels = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    const onward = httpRequest(incoming.url ?? '', { method: incoming.method, headers: incoming.headers });
    onward.on('response', (answer) => answer.pipe(outgoing));
    incoming.pipe(onward);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    seen.push(`CONNECT ${request.url ?? ''}`);
    const [host, port] = (request.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) {
      tunnels.add(end);
      end.on('error', () => undefined);
    }
  });
  const proxy = await listening(server, { host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    seen,
    async [Symbol.asyncDispose]() {
      for (const tunnel of tunnels) tunnel.destroy();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

const PATIENT = { deadlineMs: 10_000, initTimeoutMs: 400 } as const;

async function askedOnce(url: string, options: FliptProviderOptions = {}): Promise<Outcome> {
  const http = { timeoutMs: 5_000, retries: 0, ...options.http };
  const { provider, ask } = rig(url, { ...PATIENT, ...options, http });
  try {
    return await ask('colour', 'ann');
  } finally {
    await provider.onClose();
  }
}

it('TLS with a private certificate authority', async () => {
  await using service = await tlsService();
  const url = `https://127.0.0.1:${service.port}`;
  expect((await askedOnce(url, { http: { tls: { ca: authority.cert } } })).kind).toBe('own');
  expect((await askedOnce(url, { http: { tls: { ca: [Buffer.from(authority.cert)] } } })).kind).toBe('own');
  const { kind, message } = await askedOnce(url);
  expect(kind).toBe('default');
  expect(message).toMatch(/could not be asked: .*certificate/);
});

it('TLS to a name other than the url’s', async () => {
  const named = makeCertificate({ name: 'named', hosts: ['flipt.internal'], issuer: authority });
  await using service = await tlsService({ cert: named.cert, key: named.key });
  const url = `https://127.0.0.1:${service.port}`;
  const tls = { ca: authority.cert };
  expect((await askedOnce(url, { http: { tls: { ...tls, servername: 'flipt.internal' } } })).kind).toBe(
    'own',
  );
  expect((await askedOnce(url, { http: { tls } })).message).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID|altnames/);
});

it('an expired certificate is refused, and accepted once it has been renewed', async () => {
  const expired = makeCertificate({
    name: 'expired',
    hosts: ['127.0.0.1'],
    issuer: authority,
    validFrom: new Date(Date.now() - 2 * DAY_MS),
    validTo: new Date(Date.now() - DAY_MS),
  });
  const requests: IncomingMessage[] = [];
  const server = createTlsServer({ cert: expired.cert, key: expired.key }, answering(requests));
  server.on('tlsClientError', () => undefined);
  await using service = await listening(server, { host: '127.0.0.1', port: 0 }, requests);
  const options = { ...PATIENT, http: { timeoutMs: 5_000, retries: 0, tls: { ca: authority.cert } } };
  const { provider, ask, events } = rig(`https://127.0.0.1:${service.port}`, options);
  for (let round = 0; round < 3; round++) {
    expect((await ask('colour', 'ann')).message).toMatch(/certificate has expired|not asked for the moment/);
  }
  expect(requests).toHaveLength(0);
  expect(events).toEqual(['error']);
  server.setSecureContext({ cert: server127.cert, key: server127.key });
  await until(() => events.at(-1) === 'ready', MARGIN_MS);
  expect((await ask('colour', 'ann')).kind).toBe('own');
  await provider.onClose();
});

it('TLS with a client certificate', async () => {
  await using service = await tlsService({ ca: authority.cert, requestCert: true, rejectUnauthorized: true });
  const url = `https://127.0.0.1:${service.port}`;
  const tls = { ca: authority.cert, cert: client.cert, key: client.key };
  expect((await askedOnce(url, { http: { tls } })).kind).toBe('own');
  const socket = service.requests[0]?.socket as TLSSocket | undefined;
  expect(socket?.authorized).toBe(true);
  expect((await askedOnce(url, { http: { tls: { ca: authority.cert } } })).kind).toBe('default');
  expect(service.requests).toHaveLength(1);
});

it('a forward proxy: http: by the full address, https: through a tunnel', async () => {
  await using proxy = await forwardProxy();
  await using plain = await rawServer(well);
  await using service = await tlsService();
  expect((await askedOnce(plain.url, { http: { proxy: proxy.url } })).kind).toBe('own');
  expect(proxy.seen).toEqual([`POST ${plain.url}/evaluate/v1/batch`]);
  const tls = { ca: authority.cert };
  const url = `https://127.0.0.1:${service.port}`;
  expect((await askedOnce(url, { http: { proxy: proxy.url, tls } })).kind).toBe('own');
  expect(proxy.seen.at(-1)).toBe(`CONNECT 127.0.0.1:${service.port}`);
});

it('a forward proxy named by the environment, and NO_PROXY', async () => {
  await using proxy = await forwardProxy();
  await using service = await rawServer(well);
  vi.stubEnv('http_proxy', proxy.url);
  vi.stubEnv('no_proxy', '');
  expect((await askedOnce(service.url, { http: { proxy: 'env' } })).kind).toBe('own');
  expect(proxy.seen).toHaveLength(1);
  vi.stubEnv('no_proxy', '127.0.0.1');
  expect((await askedOnce(service.url, { http: { proxy: 'env' } })).kind).toBe('own');
  expect(proxy.seen).toHaveLength(1);
  expect((await askedOnce(service.url)).kind).toBe('own');
  expect(proxy.seen).toHaveLength(1);
});

it('a proxy that refuses the tunnel, or is not there, is a failure of the connection', async () => {
  await using service = await tlsService();
  await using refusing = await rawServer((socket) =>
    socket.write(reply('407 Proxy Authentication Required', '')),
  );
  const url = `https://127.0.0.1:${service.port}`;
  expect((await askedOnce(url, { http: { proxy: refusing.url } })).message).toMatch(/could not be asked/);
  await refusing.stop();
  expect((await askedOnce(url, { http: { proxy: refusing.url } })).message).toMatch(/could not be asked/);
});

it('a Unix socket', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'socket-'));
  const socketPath = join(folder, 'flipt.sock');
  const requests: IncomingMessage[] = [];
  try {
    await using service = await listening(createServer(answering(requests)), { path: socketPath }, requests);
    expect((await askedOnce('http://flipt.internal', { http: { socketPath } })).kind).toBe('own');
    expect(service.requests[0]?.headers.host).toBe('flipt.internal');
  } finally {
    await rm(folder, { recursive: true });
  }
});

it.each(['/flags', '/flags/', '/a/b%20c/'])('a base path: %s', async (path) => {
  await using service = await rawServer(well);
  expect((await askedOnce(service.url + path)).kind).toBe('own');
  expect(service.requests[0]?.head).toContain(`POST ${path.replace(/\/$/, '')}/evaluate/v1/batch HTTP/1.1`);
});

it('an IPv6 address', async () => {
  await using service = await rawServer(well, '::1');
  expect((await askedOnce(service.url)).kind).toBe('own');
});

it('a name whose address changes is asked at its new address after a minute', async () => {
  // A second address of this machine: macOS has the one, Linux always the other.
  const elsewhere = process.platform === 'linux' ? '127.0.0.2' : '::1';
  await using before = await rawServer(well);
  await using after = await rawServer(well, elsewhere, before.port);
  let address = '127.0.0.1';
  // The system's own resolver can't be made to change its mind.
  const lookup = (
    _: string,
    options: dns.LookupOptions,
    done: (error: null, ...found: unknown[]) => void,
  ) => {
    const family = isIP(address);
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup);
  const { provider, ask } = rig(`http://flipt.test:${before.port}`, {
    http: { timeoutMs: 5_000 },
    ...PATIENT,
  });
  expect((await ask('colour', 'ann')).kind).toBe('own');
  address = elsewhere;
  expect((await ask('colour', 'ben')).kind).toBe('own');
  expect([before.requests.length, after.requests.length]).toEqual([2, 0]);
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now + 61_000);
  expect((await ask('colour', 'cleo')).kind).toBe('own');
  expect([before.requests.length, after.requests.length]).toEqual([2, 1]);
  await provider.onClose();
});

it.each([
  ['Agent', () => new Agent()],
  ['Agent of undici 6', () => new Agent6()],
  ['Pool', (url: string) => new Pool(url)],
  ['Client', (url: string) => new Client(url)],
] as const)('a dispatcher of the user’s own: %s; it is not closed', async (_, make) => {
  await using service = await rawServer(well);
  const dispatcher = make(service.url);
  expect((await askedOnce(service.url, { http: { dispatcher } })).kind).toBe('own');
  expect(dispatcher.closed).toBe(false);
  expect(dispatcher.destroyed).toBe(false);
  await dispatcher.close();
});

it('a MockAgent, as used in tests of applications', async () => {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  dispatcher
    .get('http://flipt.test')
    .intercept({ method: 'POST', path: '/evaluate/v1/batch' })
    .reply(200, ({ body }) => goodBody({ head: '', body: body as string, at: 0 }));
  expect((await askedOnce('http://flipt.test', { http: { dispatcher } })).kind).toBe('own');
  await dispatcher.close();
});

it('a redirect is not followed, so that no credential goes where nobody meant it to', async () => {
  await using elsewhere = await rawServer(well);
  await using service = await rawServer((socket) =>
    socket.write(reply('307 Temporary Redirect', '', [`location: ${elsewhere.url}/evaluate/v1/batch`])),
  );
  const { kind, message } = await askedOnce(service.url, { auth: { token: 'some-token' } });
  expect(kind).toBe('default');
  expect(message).toMatch(/307, a redirect, which is not followed/);
  expect(elsewhere.requests).toHaveLength(0);
});
