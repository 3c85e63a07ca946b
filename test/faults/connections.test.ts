import dns from 'node:dns';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTcpServer, isIP, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Client, MockAgent, Pool } from 'undici';
import { Agent as Agent6 } from 'undici6';
import { afterEach, expect, it, vi } from 'vitest';
import { answering, askedOnce, listening } from './node-server.fixture.js';
import { goodBody, rawServer, reply, well } from './raw-server.fixture.js';
import { transportTo } from '../http/transport.fixture.js';

const QUESTION = {
  method: 'POST',
  path: '/evaluate/v1/batch',
  body: '{"requests":[]}',
  repeatable: true,
} as const;

afterEach(() => {
  vi.restoreAllMocks();
});

it('asks through a Unix socket', async () => {
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

it.each(['/flags', '/flags/', '/a/b%20c/'])('keeps a base path: %s', async (path) => {
  await using service = await rawServer(well);
  expect((await askedOnce(service.url + path)).kind).toBe('own');
  expect(service.requests[0]?.head).toContain(`POST ${path.replace(/\/$/, '')}/evaluate/v1/batch HTTP/1.1`);
});

it('asks an IPv6 address', async () => {
  await using service = await rawServer(well, '::1');
  expect((await askedOnce(service.url)).kind).toBe('own');
});

it('asks a name whose address changes at its new address after a minute', async () => {
  // A second address of this machine: macOS has the first, Linux always has the other.
  const elsewhere = process.platform === 'linux' ? '127.0.0.2' : '::1';
  await using before = await rawServer(well, '127.0.0.1');
  await using after = await rawServer(well, elsewhere, before.port);
  let address = '127.0.0.1';
  // The answers of the system's own resolver cannot be changed.
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
  const { send, clock } = transportTo(`http://flipt.test:${before.port}`);
  const ask = async () => (await send(QUESTION)).kind;
  expect(await ask()).toBe('reply');
  address = elsewhere;
  expect(await ask()).toBe('reply');
  await clock.advance(61_000);
  expect([before.requests.length, after.requests.length]).toEqual([2, 0]);
  expect(await ask()).toBe('reply');
  expect([before.requests.length, after.requests.length]).toEqual([2, 1]);
});

it('gives up a connection that does not come about in time, also for a stream', async () => {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { send, clock } = transportTo(`https://127.0.0.1:${port}`, { http: { timeoutMs: 500 } });
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const streaming = send({ ...QUESTION, stream: true });
  const [socket] = await accepted;
  await clock.advance(3_000);
  expect(await streaming).toMatchObject({
    kind: 'timeout',
    message: `no connection to Flipt at https://127.0.0.1:${port} within 3000 ms`,
  });
  expect(clock.timers()).toBe(0);
  socket.destroy();
  server.close();
});

it.each([
  ['Agent', () => new Agent()],
  ['Agent of undici 6', () => new Agent6()],
  ['Pool', (url: string) => new Pool(url)],
  ['Client', (url: string) => new Client(url)],
] as const)('asks through a dispatcher of the user’s own, %s, and does not close it', async (_, make) => {
  await using service = await rawServer(well);
  const dispatcher = make(service.url);
  expect((await askedOnce(service.url, { http: { dispatcher } })).kind).toBe('own');
  expect(dispatcher.closed).toBe(false);
  expect(dispatcher.destroyed).toBe(false);
  await dispatcher.close();
});

it('asks a MockAgent, as in tests of applications', async () => {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  dispatcher
    .get('http://flipt.test')
    .intercept({ method: 'POST', path: '/evaluate/v1/batch' })
    .reply(200, ({ body }) => goodBody({ head: '', body: body as string, at: 0 }));
  expect((await askedOnce('http://flipt.test', { http: { dispatcher } })).kind).toBe('own');
  await dispatcher.close();
});

it('follows no redirect, so that no credential goes to another place', async () => {
  await using elsewhere = await rawServer(well);
  await using service = await rawServer((socket) =>
    socket.write(reply('307 Temporary Redirect', '', [`location: ${elsewhere.url}/evaluate/v1/batch`])),
  );
  const { kind, message } = await askedOnce(service.url, { auth: { token: 'some-token' } });
  expect(kind).toBe('default');
  expect(message).toMatch(/307, a redirect to \S+, which is not followed/);
  expect(elsewhere.requests).toHaveLength(0);
});
