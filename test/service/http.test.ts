import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HttpDispatcher, HttpDispatcherResponse } from '../../src/options.js';
import { openTransport } from '../../src/service/http.js';
import { clientSettings } from '../../src/settings.js';
import { manualClock } from '../clock.js';
import { answerJson, scriptedServer, type Script } from '../servers/scripted.js';
import { signal } from '../signal.js';
import { REQUEST } from './outcomes.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serving(script: Script) {
  const server = await scriptedServer(script);
  closing.push(server.close);
  return server;
}

function transportTo(url: string, more: object = {}) {
  const clock = manualClock();
  const transport = openTransport(clientSettings({ url, ...more }, {}), clock);
  closing.push(transport.close);
  return { clock, ...transport };
}

function holdingItself(): AggregateError {
  const error = new AggregateError([], 'gone');
  error.errors.push(error);
  return error;
}

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

  it('without a body says nothing of its type', async () => {
    const server = await serving((_, response) => {
      answerJson(response, {});
    });
    await transportTo(server.url).send({ method: 'GET', path: '/health', repeatable: true });
    expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  it('after another goes over a connection that is there', async () => {
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

describe('a failure of the connection is told in words', () => {
  it('when nobody listens', async () => {
    const server = await scriptedServer(() => undefined);
    await server.close();
    expect(await transportTo(server.url).send(REQUEST)).toMatchObject({
      kind: 'connection',
      message: expect.stringMatching(/^Flipt at http:\S+ could not be asked: .*ECONNREFUSED/) as unknown,
    });
  });

  it.each<[string, Script, RegExp]>([
    ['when it is reset', (_, response) => response.socket?.destroy(), /could not be asked: ./],
    [
      'when the body is cut short',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"responses"');
        setImmediate(() => response.socket?.destroy());
      },
      /could not be asked: ./,
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
    closing.push(async () => {
      server.close();
      await once(server, 'close');
    });
    const { port } = server.address() as AddressInfo;
    expect(await transportTo(`http://127.0.0.1:${port}`).send(REQUEST)).toMatchObject({ kind: 'connection' });
  });
});

describe('a body', () => {
  it('of more than 16 MB is refused, and is not read to its end', async () => {
    const gone = signal();
    const server = await serving((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const pump = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', pump);
      response.on('close', () => {
        gone.give();
      });
      pump();
    });
    expect(await transportTo(server.url).send(REQUEST)).toEqual({
      kind: 'unreadable',
      message: `Flipt at ${server.url} answered with more than 16 MB, which is refused`,
    });
    await gone.given;
  });
});

describe('a body at the limit', () => {
  it.each([
    [16 * 1024 * 1024, 'reply'],
    [16 * 1024 * 1024 + 1, 'unreadable'],
  ])('of %i bytes is taken or refused: %s', async (bytes, kind) => {
    const body = (async function* () {
      yield Buffer.alloc(bytes - 1, ' ');
      yield Buffer.from('1');
    })();
    const request = () => Promise.resolve({ statusCode: 200, headers: {}, body });
    const { send } = transportTo('http://flipt.test', { http: { dispatcher: { request } } });
    expect(await send(REQUEST)).toMatchObject({ kind });
  });
});

describe("a dispatcher of the user's", () => {
  const dispatching = (request: HttpDispatcher['request']) => ({ http: { dispatcher: { request } } });

  it('is asked with all that it needs, and is not closed', async () => {
    const response: HttpDispatcherResponse = {
      statusCode: 200,
      headers: {},
      body: (async function* () {
        yield Buffer.from('{"a"');
        yield Buffer.from(':1}');
      })(),
    };
    const request = vi.fn<HttpDispatcher['request']>(() => Promise.resolve(response));
    const { send, close } = transportTo('http://flipt.test/base', dispatching(request));
    expect(await send(REQUEST)).toMatchObject({ status: 200, text: '{"a":1}' });
    expect(request).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ origin: 'http://flipt.test', path: '/base/x', method: 'POST', body: '{}' }),
    );
    await close();
  });

  it.each<[string, () => Promise<never>, string]>([
    [
      'rejects with something',
      () => Promise.reject(Object.assign(new Error('broken'), { code: 'EBROKEN' })),
      'broken (EBROKEN)',
    ],
    [
      'rejects with several things',
      () => Promise.reject(new AggregateError([new Error('first'), new Error('second')])),
      'first',
    ],
    [
      'throws',
      () => {
        throw new TypeError('a defect\nof two lines');
      },
      'a defect of two lines',
    ],
  ])('may be broken: one that %s', async (_, request, words) => {
    expect(await transportTo('http://flipt.test', dispatching(request)).send(REQUEST)).toMatchObject({
      kind: 'connection',
      message: `Flipt at http://flipt.test could not be asked: ${words}`,
    });
  });

  it.each<[string, Error]>([
    ['has no message', Object.assign(new Error('gone'), { message: undefined })],
    ['has a name that is none', Object.assign(new Error('gone'), { name: 5 })],
    [
      'has a code that cannot be told',
      Object.assign(new Error('gone'), { code: Object.create(null) as unknown }),
    ],
    [
      'throws when it is looked at',
      Object.defineProperty(new Error('gone'), 'message', {
        get: () => {
          throw new Error('hands off');
        },
      }),
    ],
    ['is nothing', undefined as unknown as Error],
    ['is no text', Object.create(null) as Error],
    ['holds itself', holdingItself()],
  ])('may reject with an error that %s', async (_, error) => {
    const request = () => Promise.reject(error);
    expect(await transportTo('http://flipt.test', dispatching(request)).send(REQUEST)).toMatchObject({
      kind: 'connection',
    });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no status', { headers: {}, body: [] }],
    ['no body', { statusCode: 200, headers: {} }],
    ['a body of texts', { statusCode: 200, headers: {}, body: ['{}'] }],
  ])('may answer with %s, which is a failure of the connection', async (_, response) => {
    const request = () => Promise.resolve(response as HttpDispatcherResponse);
    expect(await transportTo('http://flipt.test', dispatching(request)).send(REQUEST)).toMatchObject({
      kind: 'connection',
    });
  });

  it('may answer without headers', async () => {
    const request = () => Promise.resolve({ statusCode: 503, body: [] } as unknown as HttpDispatcherResponse);
    expect(await transportTo('http://flipt.test', dispatching(request)).send(REQUEST)).toMatchObject({
      status: 503,
      headers: {},
    });
  });

  it('may never settle: the time-out answers', async () => {
    const { send, clock } = transportTo(
      'http://flipt.test',
      dispatching(() => new Promise(() => undefined)),
    );
    const ended = send(REQUEST);
    await clock.advance(500);
    expect(await ended).toMatchObject({ kind: 'timeout' });
  });
});
