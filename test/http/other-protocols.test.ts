import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { makeCertificate } from '../faults/certificate.fixture.js';
import { FliptClient } from '../../src/client/flipt-client.js';
import { PATIENCE_MS } from '../eventually.fixture.js';
import { statusFailure } from '../../src/http/failures.js';
import { atEnd, serving, transportTo } from './transport.fixture.js';

const request = { method: 'POST', path: '/evaluate/v1/batch', body: '{}', repeatable: true } as const;

async function portOf(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

const HTTPS = 'does not speak HTTP; check the port, or use https:';

it('names https: as a cause when an https: port answers to http:', async () => {
  const { cert, key } = makeCertificate({ name: 'service', hosts: ['127.0.0.1'] });
  const server = createTlsServer({ cert, key });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  // Like many servers, it answers in TLS, with an alert.
  server.on('connection', (socket) => socket.write(Buffer.from('15030300020246', 'hex')));
  const { send } = transportTo(`http://127.0.0.1:${await portOf(server)}`);
  expect(await send(request)).toMatchObject({ message: expect.stringContaining(HTTPS) as string });
});

it('names https: as a cause when a port of TLS closes the connection', async () => {
  const { cert, key } = makeCertificate({ name: 'service', hosts: ['127.0.0.1'] });
  // Like Node's server.
  const { send } = transportTo(`http://127.0.0.1:${await portOf(createTlsServer({ cert, key }))}`);
  expect(await send(request)).toMatchObject({
    message: expect.stringContaining(
      'the connection was closed without an answer; check the port, or use https:',
    ) as string,
  });
});

it('does not ask for https: when a connection is closed in the middle of an answer', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'));
  });
  const { send } = transportTo(`http://127.0.0.1:${await portOf(server)}`);
  const failed = await send(request);
  expect(failed).toMatchObject({
    message: expect.stringContaining('closed before the answer was complete') as string,
  });
  expect(failed).not.toMatchObject({ message: expect.stringContaining('https:') as string });
});

it('names http: as a cause when an http: port answers to https:', async () => {
  const { url } = await serving((_, response) => response.end());
  const { send } = transportTo(url.replace('http:', 'https:'));
  expect(await send(request)).toMatchObject({
    message: expect.stringContaining('does not speak TLS; check the port, or use http:') as string,
  });
});

it.each(['SSH-2.0-OpenSSH_9.6\r\n', '+PONG\r\n', '\u0000\u0001binary'])(
  'says that a port which answers %j does not speak HTTP',
  async (greeting) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end(greeting);
    });
    const { send } = transportTo(`http://127.0.0.1:${await portOf(server)}`);
    expect(await send(request)).toMatchObject({ message: expect.stringContaining(HTTPS) as string });
  },
);

const OF_PROXY = "the proxy's port does not speak HTTP; check http.proxy, or use https: in it";
const CLOSED = 'the proxy closed the connection without an answer; check http.proxy, or use https: in it';
const WANTS_USER =
  'the proxy asks for the user and the password that belong into its address, or has refused them';

it.each([
  ['http:', 'SSH-2.0-OpenSSH_9.6\r\n', OF_PROXY],
  ['https:', 'SSH-2.0-OpenSSH_9.6\r\n', OF_PROXY],
  ['http:', '', CLOSED],
  ['https:', '', CLOSED],
  ['http:', 'HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n', WANTS_USER],
  ['https:', 'HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n', WANTS_USER],
])('to an %s service through a proxy that answers %j, it says: %s', async (protocol, greeting, said) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(greeting));
  });
  const proxy = `http://127.0.0.1:${await portOf(server)}`;
  const { send } = transportTo(`${protocol}//flipt.test`, { http: { proxy } });
  const outcome = await send(request);
  const words =
    outcome.kind === 'reply' ? statusFailure('http://flipt.test', outcome).message : outcome.message;
  expect(words).toContain(said);
  expect(connections).toBe(1);
});

it.each(['http:', 'https:'])(
  'to an %s service, a 407 of the proxy is a status, and sent once',
  async (protocol) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n'));
    });
    const proxy = `http://user:wrong@127.0.0.1:${await portOf(server)}`;
    await using client = new FliptClient({
      url: `${protocol}//flipt.test`,
      http: { proxy, timeoutMs: PATIENCE_MS },
    });
    await expect(client.flags.list('default')).rejects.toMatchObject({
      status: 407,
      message: expect.stringContaining(WANTS_USER) as string,
    });
    expect(connections).toBe(1);
  },
);

it("calls a port without TLS the proxy's, if the address of the proxy is https:", async () => {
  const { url } = await serving((_, response) => response.end());
  for (const service of ['http://flipt.test', 'https://flipt.test']) {
    const { send } = transportTo(service, { http: { proxy: url.replace('http:', 'https:') } });
    expect(await send(request)).toMatchObject({
      message: expect.stringContaining(
        "the proxy's port does not speak TLS; check http.proxy, or use http: in it",
      ) as string,
    });
  }
});

const head = (...headers: readonly string[]) =>
  ['HTTP/1.1 200 OK', ...headers, 'content-length: 2', '', '{}'].join('\r\n');

it.each([
  ['too many headers', head(`x-long: ${'x'.repeat(20_000)}`), 'the headers of the answer are too large'],
  ['a broken header', head('x broken: 1'), 'Invalid header token'],
])('names the mistake of an answer in HTTP with %s', async (_, answer, words) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(answer));
  });
  const { send } = transportTo(`http://127.0.0.1:${await portOf(server)}`);
  const failed = await send(request);
  expect(failed).toMatchObject({ message: expect.stringContaining(words) as string });
  expect(failed).not.toMatchObject({ message: expect.stringContaining('https:') as string });
});

it('fails at once if the answer is a switch to another protocol', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
  });
  // No time passes by its clock, so no time limit ends the request.
  const { send } = transportTo(`http://127.0.0.1:${await portOf(server)}`);
  expect(await send(request)).toMatchObject({ kind: 'connection' });
});
