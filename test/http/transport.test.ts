import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { answerJson, scriptedServer, type Script } from '../servers/scripted.fixture.js';
import { signal } from '../signal.fixture.js';
import { REQUEST } from './outcomes.fixture.js';
import { atEnd, serving, transportTo } from './transport.fixture.js';

describe('a request', () => {
  it('goes below the base address, with the headers of its settings', async () => {
    const server = await serving((_, response) => {
      response.writeHead(418, { 'x-tea': 'green' }).end('short');
    });
    const { send, clock } = transportTo(`${server.url}/base/`, { headers: { 'x-team': 'checkout' } });
    expect(await send({ ...REQUEST, headers: { 'x-own': '1' } })).toMatchObject({
      kind: 'reply',
      status: 418,
      text: 'short',
      headers: { 'x-tea': 'green' },
    });
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/base/x',
        body: '{}',
        headers: {
          'x-team': 'checkout',
          'x-own': '1',
          accept: 'application/json',
          'content-type': 'application/json',
        },
      },
    ]);
    expect(clock.timers()).toBe(0);
  });

  it('may name another host than its address does', async () => {
    const server = await serving((_, response) => {
      answerJson(response, {});
    });
    await transportTo(server.url, { headers: { Host: 'flipt.test' } }).send(REQUEST);
    expect(server.requests[0]?.headers.host).toBe('flipt.test');
  });

  it('without a body has no content type', async () => {
    const server = await serving((_, response) => {
      answerJson(response, {});
    });
    await transportTo(server.url).send({ method: 'GET', path: '/health', repeatable: true });
    expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  it('after another one reuses its connection', async () => {
    const server = await serving((_, response) => {
      answerJson(response, {});
    });
    const { send } = transportTo(server.url);
    for (let time = 0; time < 5; time++) await send(REQUEST);
    expect(await server.connections()).toBeLessThanOrEqual(2);
  });

  it('that is redirected is not followed', async () => {
    const server = await serving((_, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await transportTo(server.url).send(REQUEST)).toMatchObject({ status: 302 });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a request ends', () => {
  it.each(['before the headers', 'in the body'])(
    'when its time is up %s, and its connection with it',
    async (when) => {
      const seen = signal();
      const gone = signal();
      const server = await serving((_, response) => {
        response.on('close', () => {
          gone.give();
        });
        if (when === 'in the body') response.write('{"resp');
        seen.give();
      });
      const { send, clock } = transportTo(server.url, { http: { timeoutMs: 200 } });
      const ended = send(REQUEST);
      await seen.given;
      await clock.advance(200);
      expect(await ended).toMatchObject({
        kind: 'timeout',
        message: `Flipt at ${server.url} did not answer within 200 ms (http.timeoutMs)`,
      });
      await gone.given;
    },
  );

  it('when its caller gives up, and is not sent where the caller already has', async () => {
    const seen = signal();
    const server = await serving(() => {
      seen.give();
    });
    const { send, clock } = transportTo(server.url);
    const giveUp = new AbortController();
    const ended = send({ ...REQUEST, signal: giveUp.signal });
    await seen.given;
    giveUp.abort();
    expect(await ended).toMatchObject({ kind: 'closed' });
    expect(await send({ ...REQUEST, signal: giveUp.signal })).toMatchObject({ kind: 'closed' });
    expect(server.requests).toHaveLength(1);
    expect(clock.timers()).toBe(0);
  });

  it('when the transport is closed', async () => {
    const seen = signal();
    const server = await serving(() => {
      seen.give();
    });
    const { send, close } = transportTo(server.url);
    const ended = send(REQUEST);
    await seen.given;
    await close();
    expect(await ended).toMatchObject({ kind: 'connection' });
  });
});

describe('a failure of the connection is described', () => {
  it('when nobody listens', async () => {
    const server = await scriptedServer(() => undefined);
    await server.close();
    expect(await transportTo(server.url).send(REQUEST)).toMatchObject({
      kind: 'connection',
      message: expect.stringMatching(/^the request to Flipt at http:\S+ failed: .*ECONNREFUSED/) as unknown,
    });
  });

  it.each<[string, Script, RegExp]>([
    [
      'when it is reset',
      (_, response) => response.socket?.destroy(),
      /^the request to Flipt at http:\S+ failed: ./,
    ],
    [
      'when the body is cut short',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"responses"');
        setImmediate(() => response.socket?.destroy());
      },
      /^the request to Flipt at http:\S+ failed: ./,
    ],
  ])('%s', async (_, script, words) => {
    const server = await serving(script);
    const outcome = await transportTo(server.url).send(REQUEST);
    expect(outcome).toMatchObject({ kind: 'connection', message: expect.stringMatching(words) as unknown });
  });

  it('when it is not HTTP that answers', async () => {
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined);
      socket.resume();
      socket.end('SSH-2.0-hello\r\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    atEnd(async () => {
      server.close();
      await once(server, 'close');
    });
    const { port } = server.address() as AddressInfo;
    expect(await transportTo(`http://127.0.0.1:${port}`).send(REQUEST)).toMatchObject({ kind: 'connection' });
  });
});
