import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { Overrides } from '../../src/local/overrides.js';
import { serve } from '../../src/local/server.js';
import { Store } from '../../src/local/store.js';
import { eventually } from '../eventually.fixture.js';
import { ask } from './requests.fixture.js';
import { useServices } from './running.fixture.js';

const start = useServices();

async function socketTo(url: string, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  socket.resume();
  return socket;
}

const HALF = 'POST /evaluate/v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{';

describe('close', () => {
  it('answers the request that is under way, and takes no more', async () => {
    const service = await start();
    const socket = await socketTo(service.url, HALF);
    await eventually(() => service.requests === 1);
    const answered = once(socket, 'data');
    const closed = service.close();
    await expect(fetch(service.url)).rejects.toThrow();
    socket.write('}');
    expect(String(await answered)).toMatch(/^HTTP\/1.1 200/);
    await closed;
  });

  it('does not wait for ever for a request', async () => {
    const service = await start();
    const ended = once(await socketTo(service.url, HALF), 'close');
    await eventually(() => service.requests === 1);
    await service.close();
    await ended;
  });

  it('ends idle connections, and those with half a head, at once', async () => {
    const service = await start();
    const agent = new Agent({ keepAlive: true });
    const idle = new Promise<Socket>((resolve) => {
      agent.on('free', resolve);
    });
    request(`${service.url}/health`, { agent }, (response) => response.resume()).end();
    const half = await socketTo(service.url, 'GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET / HT');
    await once(half, 'data');
    const ended = Promise.all([once(await idle, 'close'), once(half, 'close')]);
    await service.close();
    await ended;
    agent.destroy();
  });
});

describe('a path', () => {
  it.each([
    ['GET /', 404],
    ['GET /health?a=b?c', 200],
    ['GET /health/more', 404],
    ['POST /health', 501],
    ['HEAD /nowhere', 404],
    ['DELETE /api/v1/namespaces/default/segments/x', 501],
    ['GET /api/v1/namespaces//segments', 200],
    ['GET /api/v1/namespaces/a/segments/b%2Fc', 404],
    ['GET /api/v1/namespaces/%zz/segments', 400],
    ['GET /api/v1/namespaces/%ff/segments', 400],
  ])('%s: %i', async (where, status) => {
    const { url } = await start();
    const [method = '', path = ''] = where.split(' ');
    expect((await fetch(url + path, { method })).status).toBe(status);
  });
});

it('a body that breaks off harms no other request', async () => {
  const { url } = await start();
  const socket = await socketTo(url, HALF);
  socket.destroy();
  await once(socket, 'close');
  expect(await ask(url, 'POST /evaluate/v1/batch', { body: '' })).toMatchObject({ status: 200 });
});

it('an address of IPv6 is in brackets', async () => {
  // A machine without IPv6 fails in one of these ways.
  const url = await start({ features: {}, host: '::1' }).then(
    (service) => service.url,
    (error: unknown) => String(error),
  );
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$|EADDRNOTAVAIL|EAFNOSUPPORT/);
});

describe('a server', () => {
  const served = async (evaluate: () => never) => {
    const store = new Store({ namespaces: new Map(), tokens: new Map() }, undefined);
    const service = { store, overrides: new Overrides(store), semantics: 'v1', refused: '' } as const;
    const options = { port: 0, host: '127.0.0.1', allowHosts: [], bootstrapToken: undefined };
    return { store, ...(await serve({ ...service, evaluate, snapshots: new WeakMap() }, options)) };
  };

  it('answers a defect of its own with a 500 without details', async () => {
    const { url, close } = await served(() => {
      throw new Error('a detail that is nobody’s business');
    });
    expect(await ask(url, 'POST /evaluate/v1/batch', { body: { requests: [{}] } })).toMatchObject({
      status: 500,
      body: { code: 13, message: 'internal error', details: [] },
    });
    await close();
  });

  it('follows nothing for a client that has left, also where it wanted several streams at once', async () => {
    const { url, store, close } = await served(() => {
      throw new Error('nothing is evaluated');
    });
    const stop = vi.fn(() => true);
    const follow = vi.spyOn(store, 'onChange').mockReturnValue(stop);
    const socket = await socketTo(url, 'GET /local/v1/changes HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3));
    await eventually(() => follow.mock.calls.length === 3);
    expect(stop).not.toHaveBeenCalled();
    socket.destroy();
    await eventually(() => stop.mock.calls.length === 3);
    await close();
  });
});
