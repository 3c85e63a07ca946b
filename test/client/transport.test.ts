import { getEventListeners, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import {
  FliptClient,
  FliptServiceError,
  type ConnectionOptions,
  type HttpDispatcher,
} from '../../src/client.js';
import { answerJson, scriptedServer, type Script, type ScriptedServer } from '../servers/scripted.js';

const TOKEN = 'never-to-be-shown';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function serving(
  script: Script,
  options: ConnectionOptions = {},
): Promise<{ client: FliptClient; server: ScriptedServer }> {
  const server = await scriptedServer(script);
  const client = new FliptClient({ url: server.url, auth: { token: TOKEN }, ...options });
  ending.push(server.close, () => client.close());
  return { client, server };
}

const SEGMENT = {
  namespaceKey: 'default',
  key: 'beta',
  name: 'Beta',
  description: '',
  createdAt: '2024-01-01T00:00:00Z',
  updatedAt: '2024-01-01T00:00:00Z',
  constraints: [],
  matchType: 'ALL_MATCH_TYPE',
};
const EMPTY_BATCH = { requestId: '', responses: [], requestDurationMillis: 0 };

/** Fails the first `times` requests in one way, and answers the rest. */
function failing(times: number, fail: (response: ServerResponse) => void, answer: unknown): Script {
  let count = 0;
  return (_, response) => {
    if (++count <= times) fail(response);
    else answerJson(response, answer);
  };
}

const PASSING_FAILURES: readonly [string, (response: ServerResponse) => void][] = [
  ['a 503', (response) => response.writeHead(503).end()],
  ['a 502 in HTML', (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html>')],
  ['a 429', (response) => response.writeHead(429, { 'retry-after': '0' }).end()],
  ['a broken connection', (response) => response.destroy()],
  [
    'an answer cut short',
    (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{');
      response.socket?.end();
    },
  ],
];

const CHANGES: readonly [string, (client: FliptClient) => Promise<unknown>][] = [
  ['tokens.create', ({ tokens }) => tokens.create({ name: 'ci' })],
  ['rules.create', ({ rules }) => rules.create('default', 'banner', { segmentKey: 'beta', rank: 1 })],
  ['segments.create', ({ segments }) => segments.create('default', { key: 'beta', name: 'Beta' })],
  [
    'segments.update',
    ({ segments }) =>
      segments.update('default', 'beta', { name: 'Beta', description: '', matchType: 'ALL_MATCH_TYPE' }),
  ],
  ['variants.update', ({ variants }) => variants.update('default', 'banner', 'id', { key: 'red' })],
];

describe('reading and evaluating', () => {
  it.each(PASSING_FAILURES)('are repeated after %s', async (_, fail) => {
    const { client, server } = await serving(failing(2, fail, SEGMENT));
    expect(await client.segments.get('default', 'beta')).toEqual(SEGMENT);
    expect(server.requests).toHaveLength(3);
  });

  it('are repeated where they are a POST', async () => {
    const { client, server } = await serving(failing(1, (response) => response.destroy(), EMPTY_BATCH));
    await client.evaluation.batch([]);
    expect(server.requests).toHaveLength(2);
  });

  it('are not repeated where the service has refused', async () => {
    const refusal = { code: 3, message: 'no', details: [{ why: 'so' }] };
    const { client, server } = await serving((_, response) => {
      answerJson(response, refusal, 400);
    });
    await expect(client.segments.list('default')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'no',
      details: [{ why: 'so' }],
    });
    expect(server.requests).toHaveLength(1);
  });

  it('are given up after http.retries', async () => {
    const { client, server } = await serving((_, response) => response.writeHead(503).end(), {
      http: { retries: 1 },
    });
    await expect(client.segments.list('default')).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect(server.requests).toHaveLength(2);
  });

  it('are tried once more with renewed credentials', async () => {
    let count = 0;
    const { client, server } = await serving(
      ({ headers }, response) => {
        if (headers.authorization === 'Bearer second-one') answerJson(response, SEGMENT);
        else answerJson(response, { code: 16, message: 'request was not authenticated' }, 401);
      },
      { auth: { headers: () => ({ authorization: `Bearer ${++count === 1 ? 'first' : 'second'}-one` }) } },
    );
    expect(await client.segments.get('default', 'beta')).toEqual(SEGMENT);
    expect(server.requests).toHaveLength(2);
  });
});

describe('a change is sent once', () => {
  describe.each(CHANGES)('%s', (operation, change) => {
    it.each(PASSING_FAILURES)('after %s', async (_, fail) => {
      const { client, server } = await serving((_, response) => {
        fail(response);
      });
      await expect(change(client)).rejects.toMatchObject({ name: 'FliptServiceError', operation });
      expect(server.requests).toHaveLength(1);
    });

    it('after a 401', async () => {
      const { client, server } = await serving((_, response) => {
        answerJson(response, { code: 16, message: 'request was not authenticated', details: [] }, 401);
      });
      await expect(change(client)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', operation });
      expect(server.requests).toHaveLength(1);
    });

    it('after a time-out', async () => {
      const { client, server } = await serving(() => undefined, { http: { timeoutMs: 60 } });
      await expect(change(client)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED', operation });
      expect(server.requests).toHaveLength(1);
    });
  });

  it('on a connection that the service has just let go', async () => {
    let count = 0;
    const { client, server } = await serving((_, response) => {
      if (++count === 1) answerJson(response, SEGMENT);
      else response.socket?.destroy();
    });
    await client.segments.get('default', 'beta');
    await expect(client.segments.create('default', { key: 'a', name: 'a' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(server.requests).toHaveLength(2);
  });

  it('but the next one goes with the token that the file holds by then', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flipt-client-'));
    ending.push(() => rm(folder, { recursive: true }));
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'first-token');
    const { client, server } = await serving(
      ({ headers }, response) => {
        if (headers.authorization === 'Bearer second-token') answerJson(response, SEGMENT);
        else answerJson(response, { code: 16, message: 'request was not authenticated' }, 401);
      },
      { auth: { tokenFile } },
    );
    const create = () => client.segments.create('default', { key: 'beta', name: 'Beta' });
    await expect(create()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await writeFile(tokenFile, 'second-token');
    expect(await create()).toEqual(SEGMENT);
    expect(server.requests).toHaveLength(2);
  });
});

describe('what is sent', () => {
  it('goes below the base address, with body, token and headers', async () => {
    const server = await scriptedServer((_, response) => {
      answerJson(response, SEGMENT);
    });
    ending.push(server.close);
    const url = `${server.url}/flipt/`;
    const client = new FliptClient({ url, auth: { token: TOKEN }, headers: { 'x-team': 'web' } });
    ending.push(() => client.close());
    await client.segments.create('a/b', { key: 'beta', name: 'é', description: undefined });
    expect(server.requests).toEqual([
      {
        method: 'POST',
        path: '/flipt/api/v1/namespaces/a%2Fb/segments',
        headers: expect.objectContaining({
          authorization: `Bearer ${TOKEN}`,
          'content-type': 'application/json',
          'x-team': 'web',
        }) as object,
        body: '{"key":"beta","name":"é"}',
      },
    ]);
  });

  it.each([
    ['..', '%2E%2E'],
    ['.', '%2E'],
    ['...', '...'],
    ['a b?#%', 'a%20b%3F%23%25'],
    ['é', '%C3%A9'],
  ])('has %j in a path as %s', async (key, encoded) => {
    const { client, server } = await serving((_, response) => {
      answerJson(response, SEGMENT);
    });
    await client.segments.get(key, key, { reference: 'a b&c' });
    expect(server.requests[0]?.path).toBe(
      `/api/v1/namespaces/${encoded}/segments/${encoded}?reference=a+b%26c`,
    );
  });

  it.each<[string, NonNullable<ConnectionOptions['auth']>, string]>([
    ['a token', { token: 'dummy-token' }, 'Bearer dummy-token'],
    ['a function', { headers: () => ({ AUTHORIZATION: 'Custom dummy' }) }, 'Custom dummy'],
  ])('has one header of a name, however it is written: that of auth, here %s', async (_, auth, sent) => {
    const seen: (readonly string[])[] = [];
    const request: HttpDispatcher['request'] = ({ headers }) => {
      seen.push(Object.entries(headers).flat());
      return Promise.reject(new Error('sent'));
    };
    const client = new FliptClient({
      auth,
      headers: { Authorization: 'Bearer other' },
      http: { dispatcher: { request }, retries: 0 },
    });
    await failureOf(client.segments.list('default'));
    expect(seen).toEqual([['accept', 'application/json', 'authorization', sent]]);
  });

  it('says what to evaluate: in the call, else as the client was told', async () => {
    const { client, server } = await serving(
      (_, response) => {
        answerJson(response, EMPTY_BATCH);
      },
      { environment: 'production', reference: 'main' },
    );
    await client.evaluation.batch([]);
    await client.evaluation.batch([], { environment: 'staging', reference: 'next', requestId: 'r' });
    expect(server.requests.map(({ headers }) => headers['x-flipt-environment'])).toEqual([
      'production',
      'staging',
    ]);
    expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { requests: [], reference: 'main' },
      { requests: [], reference: 'next', requestId: 'r' },
    ]);
  });

  it('has no environment that would forge a header', async () => {
    const { client, server } = await serving(() => undefined);
    await expect(client.evaluation.batch([], { environment: 'a\r\nb: c' })).rejects.toThrow(TypeError);
    expect(server.requests).toHaveLength(0);
  });
});

describe('a signal', () => {
  it('that has ended already keeps the request from being sent', async () => {
    const { client, server } = await serving(() => undefined);
    const reason = new Error('enough');
    await expect(client.segments.list('default', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  it.each<[string, (client: FliptClient, signal: AbortSignal) => Promise<unknown>]>([
    ['tokens.create', ({ tokens }, signal) => tokens.create({ name: 'a' }, { signal })],
    ['tokens.get', ({ tokens }, signal) => tokens.get('a', { signal })],
    ['evaluation.batch', ({ evaluation }, signal) => evaluation.batch([], { signal })],
    ['rules.create', ({ rules }, signal) => rules.create('a', 'b', { segmentKey: 'c', rank: 1 }, { signal })],
    ['rules.list', ({ rules }, signal) => rules.list('a', 'b', { signal })],
    ['rules.iterate', ({ rules }, signal) => rules.iterate('a', 'b', { signal }).next()],
    ['variants.update', ({ variants }, signal) => variants.update('a', 'b', 'c', { key: 'd' }, { signal })],
    ['segments.list', ({ segments }, signal) => segments.list('a', { signal })],
    ['segments.iterate', ({ segments }, signal) => segments.iterate('a', { signal }).next()],
    ['segments.get', ({ segments }, signal) => segments.get('a', 'b', { signal })],
    ['segments.create', ({ segments }, signal) => segments.create('a', { key: 'b', name: 'c' }, { signal })],
    [
      'segments.update',
      ({ segments }, signal) =>
        segments.update('a', 'b', { name: 'c', description: '', matchType: 'ALL_MATCH_TYPE' }, { signal }),
    ],
  ])('ends %s under way, with its reason', async (_, call) => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { client, server } = await serving(() => {
      controller.abort(reason);
    });
    await expect(call(client, controller.signal)).rejects.toBe(reason);
    expect(server.requests).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('ends the wait for another attempt', async () => {
    const controller = new AbortController();
    const { client, server } = await serving(
      (_, response) => {
        response.once('finish', () => {
          controller.abort();
        });
        response.writeHead(503, { 'retry-after': '1' }).end();
      },
      { http: { timeoutMs: 30_000 } },
    );
    await expect(client.segments.list('a', { signal: controller.signal })).rejects.toThrow(
      controller.signal.reason as Error,
    );
    expect(server.requests).toHaveLength(1);
  });

  it('ends the wait for credentials, and nothing is sent', async () => {
    const controller = new AbortController();
    const { client, server } = await serving(() => undefined, {
      http: { timeoutMs: 50 },
      auth: {
        headers: () => {
          queueMicrotask(() => {
            controller.abort();
          });
          return new Promise(() => undefined);
        },
      },
    });
    await expect(client.segments.list('a', { signal: controller.signal })).rejects.toThrow(
      controller.signal.reason as Error,
    );
    expect(server.requests).toHaveLength(0);
  });

  it('may end many calls, without a warning and without leaving listeners', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    const { client } = await serving((_, response) => {
      answerJson(response, SEGMENT);
    });
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => client.segments.get('a', 'b', { signal })));
    process.off('warning', warned);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('that ends after the answer takes nothing away', async () => {
    const controller = new AbortController();
    const { client } = await serving((_, response) => {
      answerJson(response, SEGMENT);
    });
    const segment = await client.segments.get('a', 'b', { signal: controller.signal });
    controller.abort();
    expect(segment).toEqual(SEGMENT);
  });
});

describe('close', () => {
  it('ends what is under way, and refuses what comes later', async () => {
    const arrived = new EventTarget();
    const { client, server } = await serving(() => arrived.dispatchEvent(new Event('request')));
    const underWay = client.segments.list('default').catch((error: unknown) => error);
    await once(arrived, 'request');
    await client.close();
    await client.close();
    const ended = { name: 'FliptServiceError', code: 'CANCELLED', message: 'the Flipt client is closed' };
    expect(await underWay).toMatchObject(ended);
    await expect(client.segments.list('default')).rejects.toMatchObject({ ...ended, status: undefined });
    expect(server.requests).toHaveLength(1);
  });

  it('ends the connections', async () => {
    const { client, server } = await serving((_, response) => {
      answerJson(response, SEGMENT);
    });
    await client.segments.get('a', 'b');
    expect(await server.connections()).toBe(1);
    await client[Symbol.asyncDispose]();
    await expect.poll(server.connections).toBe(0);
  });
});

describe('a failure', () => {
  it('of the network has a cause', async () => {
    const server = await scriptedServer(() => undefined);
    await server.close();
    const client = new FliptClient({ url: server.url });
    const error = await failureOf(client.segments.list('default'));
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      operation: 'segments.list',
      url: `${server.url}/api/v1/namespaces/default/segments`,
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
    expect(error.status).toBeUndefined();
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED', port: Number(new URL(server.url).port) });
    await client.close();
  });

  it('says its name, its code and where it happened when it is printed', async () => {
    const { client, server } = await serving((_, response) => {
      answerJson(response, { code: 5, message: 'segment "default/nope" not found', details: [] }, 404);
    });
    const error = await failureOf(client.segments.get('default', 'nope'));
    expect(error.stack).toMatch(/^FliptServiceError: segment "default\/nope" not found\n/);
    expect(inspect(error)).toContain(`url: '${server.url}/api/v1/namespaces/default/segments/nope'`);
    expect(Object.keys(error).sort()).toEqual(['code', 'details', 'operation', 'status', 'url']);
  });

  it.each<[string, unknown, object]>([
    ['no error', 'boom', { name: 'Error', message: 'boom' }],
    [
      'several errors',
      new AggregateError([Object.assign(new RangeError('first'), { code: 'EFIRST' }), new Error('second')]),
      { name: 'RangeError', message: 'first', code: 'EFIRST' },
    ],
    ['no errors at all', new AggregateError([], 'none'), { name: 'AggregateError', message: 'none' }],
  ])('of a dispatcher that throws %s has a cause', async (_, thrown, cause) => {
    const dispatcher = {
      request: async () => {
        throw thrown;
      },
    };
    const client = new FliptClient({ http: { dispatcher, retries: 0 } });
    expect((await failureOf(client.segments.list('default'))).cause).toMatchObject(cause);
  });

  it('to answer in time has a cause', async () => {
    const { client } = await serving(() => undefined, { http: { timeoutMs: 40 } });
    const error = await failureOf(client.segments.list('default'));
    expect(error).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      cause: { name: 'TimeoutError', code: 'ETIMEDOUT' },
    });
  });

  it('to have credentials is told, and nothing is sent', async () => {
    const { client, server } = await serving(() => undefined, { auth: { tokenFile: '/nowhere/token' } });
    const error = await failureOf(client.segments.list('default'));
    expect(error).toMatchObject({ code: 'UNAUTHENTICATED', status: undefined });
    expect(error.message).toContain('/nowhere/token cannot be read (ENOENT)');
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    [400, 'INVALID_ARGUMENT'],
    [401, 'UNAUTHENTICATED'],
    [403, 'PERMISSION_DENIED'],
    [409, 'ALREADY_EXISTS'],
    [413, 'RESOURCE_EXHAUSTED'],
    [429, 'RESOURCE_EXHAUSTED'],
    [500, 'INTERNAL'],
    [502, 'UNAVAILABLE'],
    [503, 'UNAVAILABLE'],
    [504, 'DEADLINE_EXCEEDED'],
    [302, 'UNKNOWN'],
    [418, 'UNKNOWN'],
  ])('that is a %i in HTML has the code %s', async (status, code) => {
    const { client } = await serving(
      (_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Oh</h1>'),
      { http: { retries: 0 } },
    );
    const error = await failureOf(client.segments.list('default'));
    expect(error).toMatchObject({ status, code, details: [] });
    expect(error.message).toContain(String(status));
  });

  it.each([
    ['an HTML page', 404, 'text/html', '<h1>Not here</h1>'],
    ['a 501', 501, 'application/json', '{"code":12,"message":"service not implemented","details":[]}'],
  ])('that is %s says that the operation is not offered', async (_, status, type, body) => {
    const { client } = await serving((_, response) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    );
    const error = await failureOf(client.tokens.get('a'));
    expect(error).toMatchObject({ status, code: 'UNIMPLEMENTED' });
    expect(error.message).toContain(`does not offer tokens.get (it answered ${status}`);
  });

  it('about a key with a slash does not blame the service, which takes it for one that parts the path', async () => {
    const { client } = await serving((_, response) => {
      answerJson(response, { code: 5, message: 'Not Found', details: [] }, 404);
    });
    expect(await failureOf(client.segments.get('default', 'a/b'))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('an answer that is not one', () => {
  it.each([
    ['HTML', '<html>', 'not JSON'],
    ['nothing', '', 'not JSON'],
    ['a list', '[]', 'namespaceKey: missing'],
    ['null', 'null', 'the body: expected Object, got null'],
    ['another thing', '{"segments":[]}', 'namespaceKey: missing'],
    ['a wrong type', JSON.stringify({ ...SEGMENT, name: 5 }), 'name: expected string, got a number'],
    [
      'an unknown enum',
      JSON.stringify({ ...SEGMENT, matchType: 'SOME' }),
      'matchType: expected ("ALL_MATCH_TYPE" | "ANY_MATCH_TYPE"), got a string',
    ],
    [
      'a wrong type deep inside',
      JSON.stringify({ ...SEGMENT, constraints: [{ id: 'a' }, {}] }),
      'constraints.0.createdAt: missing',
    ],
    [
      'an object for a text',
      JSON.stringify({ ...SEGMENT, description: {} }),
      'description: expected string, got an object',
    ],
  ])('%s is told as such', async (_, body, words) => {
    const { client } = await serving((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    const error = await failureOf(client.segments.get('default', 'beta'));
    expect(error).toMatchObject({ status: 200, code: 'INTERNAL' });
    expect(error.message).toContain(words);
    expect(error.message).toContain('segments.get');
  });

  it('is one with more or fewer items than were asked for', async () => {
    const { client } = await serving((_, response) => {
      answerJson(response, EMPTY_BATCH);
    });
    const error = await failureOf(client.evaluation.batch([{ flagKey: 'a' }]));
    expect(error.message).toContain('responses: expected a list of 1, got a list of 0');
  });

  it('is one whose metadata are no texts', async () => {
    const { client } = await serving((_, response) => {
      const { createdAt, updatedAt } = SEGMENT;
      answerJson(response, { id: 'a', method: 'METHOD_TOKEN', createdAt, updatedAt, metadata: { a: 1 } });
    });
    expect((await failureOf(client.tokens.get('a'))).message).toContain(
      'metadata: expected an object of texts',
    );
  });

  it('is refused without a content type and beyond 16 MB as well', async () => {
    const { client } = await serving(
      ({ path }, response) =>
        path.endsWith('large')
          ? response.writeHead(200).end(' '.repeat(17 * 1024 * 1024))
          : response.writeHead(200).end('x'),
      { http: { timeoutMs: 10_000 } },
    );
    expect((await failureOf(client.tokens.get('a'))).message).toContain('no content type: not JSON');
    expect(await failureOf(client.tokens.get('large'))).toMatchObject({ code: 'INTERNAL' });
  });

  it.each<[string, (client: FliptClient) => AsyncIterable<unknown>, string, readonly string[]]>([
    ['the same', ({ segments }) => segments.iterate('default'), 'segments.list', ['a', 'a']],
    ['an earlier', ({ rules }) => rules.iterate('default', 'banner'), 'rules.list', ['a', 'b', 'a']],
  ])('ends the way through the pages where one gives %s token again', async (_, iterate, name, tokens) => {
    const { client, server } = await serving((_, response) => {
      const nextPageToken = tokens[server.requests.length - 1] ?? '';
      answerJson(response, { segments: [], rules: [], nextPageToken, totalCount: 9 });
    });
    const goThrough = async () => {
      const entries: unknown[] = [];
      for await (const entry of iterate(client)) entries.push(entry);
      return entries;
    };
    const error = await failureOf(goThrough());
    expect(error).toMatchObject({ code: 'INTERNAL', status: 200, operation: name });
    expect(error.message).toContain('a page whose nextPageToken has not come before');
    expect(server.requests).toHaveLength(tokens.length);
  });

  it('may still leave out what is not documented as required, and have words of later versions', async () => {
    const { createdAt, updatedAt } = SEGMENT;
    const { client } = await serving(({ path }, response) => {
      if (path.startsWith('/auth')) {
        answerJson(response, {
          id: 'a',
          method: 'METHOD_GITHUB',
          createdAt,
          updatedAt,
          expiresAt: null,
          metadata: {},
        });
      } else if (path.startsWith('/evaluate')) {
        answerJson(response, {
          responses: [
            {
              type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
              booleanResponse: { enabled: true, reason: 7, later: 1 },
            },
          ],
        });
      } else {
        answerJson(response, {
          segments: [{ ...SEGMENT, constraints: [{ id: 'c', createdAt, updatedAt }], later: 1 }],
        });
      }
    });
    expect(await client.tokens.get('a')).toEqual({
      id: 'a',
      method: 'METHOD_GITHUB',
      createdAt,
      updatedAt,
      metadata: {},
    });
    expect((await client.evaluation.batch([{ flagKey: 'a' }])).responses[0]?.booleanResponse).toEqual({
      enabled: true,
      reason: '7',
      flagKey: '',
      requestId: '',
      segmentKeys: [],
      requestDurationMillis: 0,
    });
    const { segments, ...page } = await client.segments.list('a');
    expect(page).toEqual({ nextPageToken: '', totalCount: 0 });
    expect(segments[0]).not.toHaveProperty('later');
    expect(segments[0]?.constraints[0]).toMatchObject({
      type: 'UNKNOWN_COMPARISON_TYPE',
      operator: '',
      value: '',
    });
  });
});

describe('a token is never shown', () => {
  const shown = (value: unknown) => inspect(value, { depth: Infinity, showHidden: true });

  it('by the client itself', () => {
    expect(shown(new FliptClient({ auth: { token: TOKEN } }))).not.toContain(TOKEN);
  });

  it.each<[string, Script]>([
    [
      'an error body that repeats the request',
      ({ headers }, response) => {
        answerJson(
          response,
          { code: 3, message: `bad: ${headers.authorization ?? ''}`, details: [headers] },
          400,
        );
      },
    ],
    [
      'an error page that repeats the request',
      ({ headers }, response) =>
        response.writeHead(418, { 'content-type': 'text/html' }).end(`<p>${headers.authorization ?? ''}`),
    ],
    ['a page of its own', (_, response) => response.writeHead(200).end(TOKEN)],
    ['a broken connection', (_, response) => response.destroy()],
    ['silence', () => undefined],
  ])('in an error after %s', async (_, script) => {
    const { client } = await serving(script, {
      http: { timeoutMs: 60, retries: 0 },
      headers: { 'x-api-key': TOKEN },
    });
    const error = await failureOf(client.segments.list('default'));
    expect(shown(error)).not.toContain(TOKEN);
    expect(JSON.stringify(error)).not.toContain(TOKEN);
  });

  it('in an error of a dispatcher that shows the request', async () => {
    const dispatcher = {
      request: ({ headers }: { headers: object }) =>
        Promise.reject(
          Object.assign(new Error(`not for ${JSON.stringify(headers)}`), { headers, code: 'E_MOCK' }),
        ),
    };
    const client = new FliptClient({ auth: { token: TOKEN }, http: { dispatcher, retries: 0 } });
    const error = await failureOf(client.segments.list('default'));
    expect(shown(error)).not.toContain(TOKEN);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', cause: { code: 'E_MOCK' } });
  });

  it('that was made, but whose answer cannot be read', async () => {
    const { client } = await serving((_, response) => {
      answerJson(response, { clientToken: TOKEN });
    });
    expect(shown(await failureOf(client.tokens.create({ name: 'ci' })))).not.toContain(TOKEN);
  });
});

describe('options', () => {
  it('are checked as the provider checks them', () => {
    expect(() => new FliptClient({ url: 'ftp://x' })).toThrow(TypeError);
    expect(() => new FliptClient({ namespace: 'a' } as ConnectionOptions)).toThrow(
      /^namespace: unknown option, expected one of url, auth/,
    );
  });
});

async function failureOf(call: Promise<unknown>): Promise<FliptServiceError> {
  const outcome = await call.catch((error: unknown) => error);
  if (!(outcome instanceof FliptServiceError)) throw new Error(`no FliptServiceError: ${inspect(outcome)}`);
  return outcome;
}
