import http, { request as original } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FAILURES } from '../../src/model/failure.js';
import { withRetries } from '../../src/http/retry.js';
import { silentRuntime } from '../../src/model/runtime.js';
import { signal } from '../signal.fixture.js';
import { REQUEST } from './outcomes.fixture.js';
import { transportTo } from './transport.fixture.js';

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

/** Answers each request on a connection, and counts both. `dead` connections are reset by the next request. */
async function service() {
  const dead = new Set<Socket>();
  const open = new Set<Socket>();
  let requests = 0;
  let accepted = 0;
  const asked = signal();
  const server = createServer((socket) => {
    accepted++;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (dead.has(socket)) socket.resetAndDestroy();
      else if (String(bytes).includes('x-unanswered')) asked.give();
      else {
        requests++;
        socket.write(ANSWER);
      }
    });
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${String(typeof address === 'object' && address?.port)}`,
    /** All connections that are open now have died without a word. */
    kill: () => {
      for (const socket of open) dead.add(socket);
    },
    open: () => open.size,
    /** Connections, since the start. */
    accepted: () => accepted,
    unanswered: asked.given,
    requests: () => requests,
  };
}

const together = (send: () => Promise<{ readonly kind: string }>) =>
  Promise.all(Array.from({ length: 8 }, async () => (await send()).kind));

describe('idle connections that have died', () => {
  it('fail as stale, which says nothing about the service', async () => {
    const { url, kill } = await service();
    const { send, close } = transportTo(url);
    onTestFinished(close);
    await send(REQUEST);
    kill();
    const { kind } = await send(REQUEST);
    expect(kind).toBe('stale-connection');
    expect(FAILURES['stale-connection']).toMatchObject({ retryable: true });
  });

  it('cost each of eight requests at once one retry on a new connection, in each of twelve rounds', async () => {
    const { url, kill, requests } = await service();
    const { send, close } = transportTo(url);
    onTestFinished(close);
    const patient = withRetries(send, { retries: 2, withinMs: 60_000 }, silentRuntime());
    for (let round = 0; round < 12; round++) {
      expect(await together(() => patient(REQUEST))).toEqual(Array.from({ length: 8 }, () => 'reply'));
      kill();
    }
    expect(requests()).toBe(12 * 8);
  });

  it('are dropped together with the first that fails: one after another, only one request is retried', async () => {
    const { url, kill, open } = await service();
    const { send, close } = transportTo(url);
    onTestFinished(close);
    await together(() => send(REQUEST));
    expect(open()).toBe(8);
    kill();
    const kinds: string[] = [];
    for (let n = 0; n < 4; n++) kinds.push((await send(REQUEST)).kind);
    expect(kinds).toEqual(['stale-connection', 'reply', 'reply', 'reply']);
  });

  it.each([
    ['stay if a caller gives up', true],
    ['go with a request that is not answered in time', false],
  ])('%s', async (_, isGivenUp) => {
    const { url, accepted, open, unanswered } = await service();
    const { send, close, clock } = transportTo(url);
    onTestFinished(close);
    await together(() => send(REQUEST));
    const caller = new AbortController();
    const ended = send({ ...REQUEST, headers: { 'x-unanswered': '1' }, signal: caller.signal });
    await unanswered;
    if (isGivenUp) caller.abort();
    else await clock.advance(500);
    expect(await ended).toMatchObject({ kind: isGivenUp ? 'closed' : 'timeout' });
    await vi.waitFor(() => {
      expect(open()).toBeLessThan(8);
    });
    expect((await send(REQUEST)).kind).toBe('reply');
    expect(accepted()).toBe(isGivenUp ? 8 : 9);
  });

  it('do not hide a service that is gone: the new connection is refused, and that counts', async () => {
    const { url } = await service();
    const { send, close } = transportTo(url.replace(/\d+$/, '1'));
    onTestFinished(close);
    expect((await send(REQUEST)).kind).toBe('connection');
  });
});

it('sends with what mocks and tracers have put into the module of Node', async () => {
  const seen: unknown[] = [];
  const { url } = await service();
  http.request = ((...given: Parameters<typeof original>) => {
    seen.push(given[0]);
    return original(...given);
  }) as typeof original;
  onTestFinished(() => {
    http.request = original;
  });
  const { send, close } = transportTo(url);
  onTestFinished(close);
  expect((await send(REQUEST)).kind).toBe('reply');
  expect(seen).toHaveLength(1);
});
