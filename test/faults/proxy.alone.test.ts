import { createServer as createNetServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../eventually.fixture.js';
import { forwardProxy } from '../servers/forward-proxy.fixture.js';
import { askedOnce, authority, tlsService } from './node-server.fixture.js';
import { REQUEST } from '../http/outcomes.fixture.js';
import { transportTo } from '../http/transport.fixture.js';
import { rawServer, reply, well } from './raw-server.fixture.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('asks a forward proxy for http: by the full address, and for https: through a tunnel', async () => {
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

it('uses the forward proxy that the environment names, and obeys NO_PROXY', async () => {
  await using proxy = await forwardProxy();
  await using service = await rawServer(well);
  vi.stubEnv('http_proxy', proxy.url);
  vi.stubEnv('no_proxy', '');
  expect((await askedOnce(service.url, { http: { proxy: 'env' } })).kind).toBe('own');
  expect(proxy.seen).toHaveLength(1);
  vi.stubEnv('no_proxy', new URL(service.url).hostname);
  expect((await askedOnce(service.url, { http: { proxy: 'env' } })).kind).toBe('own');
  expect(proxy.seen).toHaveLength(1);
  expect((await askedOnce(service.url)).kind).toBe('own');
  expect(proxy.seen).toHaveLength(1);
});

it('reports a proxy that refuses the tunnel, or is not there, as a failure of the connection', async () => {
  await using service = await tlsService();
  await using refusing = await rawServer((socket) => socket.write(reply('403 Forbidden', '')));
  const url = `https://127.0.0.1:${service.port}`;
  expect((await askedOnce(url, { http: { proxy: refusing.url } })).message).toMatch(
    /the request to Flipt at \S+ through the proxy \S+ failed: /,
  );
  await refusing.stop();
  expect((await askedOnce(url, { http: { proxy: refusing.url } })).message).toMatch(
    /the request to Flipt at \S+ through the proxy \S+ failed: /,
  );
});

/** A proxy that accepts connections, says this at most once to each, and then nothing. */
async function silentProxy(said?: string) {
  const open = new Set<Socket>();
  const silent = createNetServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.resume();
    if (said !== undefined) socket.write(said);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve);
  });
  const address = silent.address();
  const port = String(typeof address === 'object' && address?.port);
  return {
    proxy: `http://127.0.0.1:${port}`,
    open,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => silent.close(resolve));
    },
  };
}

describe.each([
  ['that never answers CONNECT', undefined],
  ['whose tunnel leads to a service that never speaks TLS', 'HTTP/1.1 200 Connection established\r\n\r\n'],
])('at a proxy %s', (_what, said) => {
  it('requests end in time or with their signal, and no socket stays open after the close', async () => {
    await using silent = await silentProxy(said);
    const { open, proxy } = silent;
    const { send, close, clock } = transportTo('https://127.0.0.1:1', { http: { proxy, timeoutMs: 300 } });
    const ending = new AbortController();
    const ended = send({ ...REQUEST, signal: ending.signal });
    const sent = send(REQUEST);
    await eventually(() => open.size === 2);
    ending.abort();
    expect(await ended).toMatchObject({ kind: 'closed' });
    await clock.advance(3_300);
    expect(await sent).toMatchObject({ kind: 'timeout' });
    expect(clock.timers()).toBe(0);
    await close();
    await eventually(() => open.size === 0);
  });
});
