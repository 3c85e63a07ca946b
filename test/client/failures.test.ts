import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { failureError } from '../../src/client/errors.js';
import { FliptClient } from '../../src/client/index.js';
import type { FailureKind } from '../../src/model/failure.js';
import { PATIENT } from '../eventually.fixture.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { answerJson, scriptedServer } from '../servers/scripted.fixture.js';
import { failureOf, serving } from './serving.fixture.js';

describe('a failure', () => {
  // A time-out that comes late blames the event loop.
  useTurningClock();

  it('to answer in time has a cause', async () => {
    const dispatcher = { request: () => new Promise<never>(() => undefined) };
    const client = new FliptClient({ http: { dispatcher, timeoutMs: 500, retries: 0 } });
    const error = await failureOf(client.segments.list('default'));
    expect(error).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      cause: { name: 'TimeoutError', code: 'ETIMEDOUT' },
    });
  });
});

describe('a failure', () => {
  it('of the network has a cause', async () => {
    const server = await scriptedServer(() => undefined);
    await server.close();
    const client = new FliptClient({ url: server.url, http: PATIENT.http });
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
    expect(error.stack).toMatch(
      /^FliptServiceError: GET \/api\/v1\/namespaces\/default\/segments\/nope answered 404: segment "default\/nope" not found\n/,
    );
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

  it.each<[FailureKind, string]>([
    ['timeout', 'DEADLINE_EXCEEDED'],
    ['connection', 'UNAVAILABLE'],
    ['stale-connection', 'UNAVAILABLE'],
  ])('of the kind %s has the code %s', (kind, code) => {
    const asked = {
      operation: 'segments.list',
      method: 'GET',
      path: '/segments',
      url: 'http://flipt.test',
    } as const;
    expect(failureError(asked, { kind, message: 'no answer' })).toMatchObject({ code, status: undefined });
  });

  it('to get credentials is reported, and nothing is sent', async () => {
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
    expect(error.message).toMatch(
      new RegExp(
        `^GET /auth/v1/tokens/a answered ${status}\\b.*; the service does not offer tokens\\.get\\.`,
      ),
    );
  });

  // Real servers of 2.8 and 2.11 answer so. They know the path, but only with a header.
  it.each([
    [
      '',
      'UNIMPLEMENTED',
      /not found; the service does not offer flags\.list\. .*offers evaluation\.batch only/,
    ],
    ['nope', 'NOT_FOUND', /not found$/],
  ])(
    'of flags.list in the environment "%s" of Flipt v2 has the code %s',
    async (environment, code, words) => {
      const { client } = await serving((_, response) => {
        const message = `failed to get environment "${environment}" from context: environment: "${environment}" not found`;
        answerJson(response, { code: 5, message, details: [] }, 404);
      });
      const ways = [() => client.flags.list('default'), () => client.flags.iterate('default').next()];
      for (const ask of ways) {
        const error = await failureOf(ask());
        expect(error).toMatchObject({ code, status: 404, message: expect.stringMatching(words) as string });
      }
    },
  );

  it('about a key with a slash does not say that the operation is missing: the service splits the path there', async () => {
    const { client } = await serving((_, response) => {
      answerJson(response, { code: 5, message: 'Not Found', details: [] }, 404);
    });
    expect(await failureOf(client.segments.get('default', 'a/b'))).toMatchObject({ code: 'NOT_FOUND' });
  });
});
