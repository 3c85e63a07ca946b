import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import type { HttpDispatcher, HttpDispatcherResponse } from '../../src/options/http-dispatcher.js';
import { REQUEST } from './outcomes.fixture.js';
import { transportTo } from './transport.fixture.js';

function holdingItself(): AggregateError {
  const error = new AggregateError([], 'gone');
  error.errors.push(error);
  return error;
}

describe("a dispatcher of the user's", () => {
  const dispatching = (request: HttpDispatcher['request']) => ({ http: { dispatcher: { request } } });

  it('gets complete requests, and is not closed', async () => {
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

  it('may write the names of headers in capitals', async () => {
    const headers = { 'Content-Encoding': 'gzip', ETag: 'abc' };
    const body = () => Readable.from([gzipSync('{"a":1}')]);
    const request = () => Promise.resolve({ statusCode: 200, headers, body: body() });
    const { send } = transportTo('http://flipt.test', dispatching(request));
    expect(await send(REQUEST)).toMatchObject({ text: '{"a":1}', headers: { etag: 'abc' } });
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
      message: `the request to Flipt at http://flipt.test failed: ${words}`,
    });
  });

  it.each<[string, Error]>([
    ['has no message', Object.assign(new Error('gone'), { message: undefined })],
    ['has a name that is none', Object.assign(new Error('gone'), { name: 5 })],
    [
      'has a code that cannot be shown',
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
    ['a body that is none', { statusCode: 200, headers: {}, body: {} }],
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

  it('may never settle: the time-out answers, with the time for connecting in it', async () => {
    const { send, clock } = transportTo(
      'http://flipt.test',
      dispatching(() => new Promise(() => undefined)),
    );
    const ended = send(REQUEST);
    await clock.advance(3_499);
    expect(clock.timers()).toBe(1);
    await clock.advance(1);
    expect(await ended).toMatchObject({
      kind: 'timeout',
      message:
        'Flipt at http://flipt.test did not answer within 3500 ms (http.timeoutMs and 3000 ms for connecting)',
    });
  });
});
