import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { fetchDispatcher } from '../../src/index.js';
import { signal } from '../signal.fixture.js';
import type { Script } from '../servers/scripted.fixture.js';
import { REQUEST } from './outcomes.fixture.js';
import { serving, transportTo } from './transport.fixture.js';

const DOWNLOAD = {
  method: 'GET',
  path: '/large',
  repeatable: true,
  download: { timeoutMs: 60_000, maxBytes: 1024 },
} as const;

const fetching = async (script: Script) => {
  const server = await serving(script);
  return transportTo(server.url, { http: { dispatcher: fetchDispatcher() } });
};

describe('fetchDispatcher', () => {
  it('sends a request as it is, and gives its response', async () => {
    const { send } = await fetching((request, response) => {
      response.writeHead(201, { 'content-type': 'application/json', 'retry-after': '1' });
      response.end(JSON.stringify([request.method, request.path, request.headers['content-type']]));
    });
    expect(await send(REQUEST)).toMatchObject({
      status: 201,
      headers: { 'retry-after': '1' },
      text: '["POST","/x","application/json"]',
    });
  });

  it('leaves a body alone that fetch has decompressed', async () => {
    const { send } = await fetching((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync('{"flags":[]}'));
    });
    expect(await send(DOWNLOAD)).toMatchObject({ status: 200, text: '{"flags":[]}' });
  });

  it('gives a 304 without a body', async () => {
    const { send } = await fetching((_, response) => {
      response.writeHead(304, { etag: 'abc', 'content-encoding': 'gzip' }).end();
    });
    expect(await send(DOWNLOAD)).toMatchObject({ status: 304, text: '', headers: { etag: 'abc' } });
  });

  it('follows no redirect', async () => {
    const { send } = await fetching((_, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await send(REQUEST)).toMatchObject({ kind: 'reply', status: 302 });
  });

  it('stops to read a body that is too large', async () => {
    const { send } = await fetching((_, response) => {
      response.writeHead(200).end('x'.repeat(2048));
    });
    expect(await send(DOWNLOAD)).toMatchObject({ kind: 'unreadable' });
  });

  it('says why there was no connection', async () => {
    const { send } = await fetching((_, response) => {
      response.socket?.resetAndDestroy();
    });
    expect(await send(REQUEST)).toMatchObject({ kind: 'connection', cause: { code: 'ECONNRESET' } });
  });

  it('ends a request that nobody waits for any more', async () => {
    const [arrived, closed] = [signal(), signal()];
    const { send } = await fetching((_, response) => {
      response.once('close', closed.give);
      arrived.give();
    });
    const ending = new AbortController();
    const sent = send({ ...REQUEST, signal: ending.signal });
    await arrived.given;
    ending.abort();
    expect(await sent).toMatchObject({ kind: 'closed' });
    await closed.given;
  });

  it('uses the global fetch of the moment, or the one that it is given', async () => {
    const answer = () => Promise.resolve(new Response('{}'));
    const [mine, global] = [vi.fn(answer), vi.spyOn(globalThis, 'fetch').mockImplementation(answer)];
    for (const dispatcher of [fetchDispatcher(mine), fetchDispatcher()]) {
      const { send } = transportTo('http://flipt.test', { http: { dispatcher } });
      expect(await send(REQUEST)).toMatchObject({ status: 200 });
    }
    expect([mine.mock.calls.length, global.mock.calls.length]).toEqual([1, 1]);
    global.mockRestore();
  });

  it.each([
    [null, 'null'],
    ['fetch', 'a string'],
    [{ fetch }, 'an object'],
  ])('refuses %j', (given, shown) => {
    expect(() => fetchDispatcher(given as never)).toThrow(
      new TypeError(`fetchDispatcher: expected a function like fetch, got ${shown}`),
    );
  });
});
