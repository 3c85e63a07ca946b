import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FliptClient, FliptServiceError } from '../../src/client.js';
import { FliptProvider, type FliptProviderOptions } from '../../src/index.js';
import { startLocalService } from '../../src/local/index.js';
import { answering, item, orMissing, type Script } from '../servers/scripted.js';
import { flipt, localService, open, recordingLogger, serving } from '../provider/open.js';

/** What begins a header of its own, ends the head, or is no text of a header. */
const BREAKS = ['a\r\nx-admin: 1', 'a\nx-admin: 1', 'a\rx', 'a\0', 'a\u2028x-admin: 1', 'ключ'];

describe.each(BREAKS)('%j', (text) => {
  it.each<[string, FliptProviderOptions, string]>([
    ['a token', { auth: { token: text } }, 'auth.token: expected'],
    ['a JSON Web Token', { auth: { jwt: text } }, 'auth.jwt: expected'],
    ['an environment', { environment: text }, 'environment: expected'],
    ['a header', { headers: { 'x-team': text } }, 'headers.x-team: expected'],
    ['the name of a header', { headers: { [text]: 'a' } }, 'expected a header name'],
  ])('is refused as %s, and not shown', (_, options, message) => {
    const make = () => new FliptProvider(options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  it('is not sent from where it is found only later', async () => {
    const server = await serving(answering(() => item.missing('')));
    const folder = await mkdtemp(join(tmpdir(), 'token-'));
    await writeFile(join(folder, 'token'), `${text}.`);
    const fromFile = flipt({ url: server.url, auth: { tokenFile: join(folder, 'token') } });
    const fromFunction = flipt({ url: server.url, auth: { headers: () => ({ authorization: text }) } });
    for (const provider of [fromFile, fromFunction]) {
      const details = await provider.resolveBooleanEvaluation('a', true, {});
      expect(details).toMatchObject({ value: true, errorCode: 'GENERAL' });
      expect(details.errorMessage).not.toContain('x-admin');
      await provider.onClose();
    }
    expect(server.requests).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('stays inside of the body and the path that it is sent in', async () => {
    const server = await serving((_, response) => response.writeHead(404).end('{}'));
    const provider = flipt({ url: server.url, namespace: text, reference: text });
    await provider.resolveBooleanEvaluation(text, false, { targetingKey: text, [text]: text });
    await provider.onClose();
    const client = new FliptClient({ url: server.url });
    await client.segments.get(text, text, { reference: text }).catch(() => undefined);
    await client.tokens.get(text).catch(() => undefined);
    await client.close();
    expect(server.requests.length).toBeGreaterThan(0);
    for (const { headers, path } of server.requests) {
      expect(headers).not.toHaveProperty('x-admin');
      expect(path).toMatch(/^\/[!-~]*$/);
    }
  });
});

describe('a path', () => {
  it.each(['..', '.', '../../auth/v1/tokens', 'a/b', 'a?b=c', 'a#b', '%2e%2e', 'a%2Fb'])(
    'holds a key %j as one part of it, or it is not sent',
    async (key) => {
      const server = await serving((_, response) => response.writeHead(404).end('{}'));
      const client = new FliptClient({ url: server.url });
      await client.segments.get('team', key).catch(() => undefined);
      await client.close();
      for (const { path } of server.requests) {
        expect(path.split('/')).toHaveLength('/api/v1/namespaces/team/segments/key'.split('/').length);
        expect(path).not.toMatch(/\/\.{1,2}(\/|$)|[?#]/);
      }
    },
  );
});

/** Ends a line, clears a screen, colours it, turns the direction of writing, rings. */
const FORGED = 'fine\r\n2030-01-01 ERROR forged\u001b[2J\u001b[31m\u0007\u0085\u2028\u202e\u200b\0 end';
const STEERS = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

describe('what the service says is told in one line that steers nothing', () => {
  const saying =
    (status: number, body: object | string, headers: object = {}): Script =>
    (_, response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body));

  it.each<[string, Script]>([
    ['as its error', saying(400, { code: 3, message: FORGED })],
    ['as a refusal', saying(401, { code: 16, message: FORGED })],
    ['as a page', saying(502, FORGED, { 'content-type': 'text/html' })],
    ['instead of JSON', saying(200, FORGED)],
    [
      'as an error about a flag',
      answering(({ flagKey }) => ({
        type: 'ERROR_EVALUATION_RESPONSE_TYPE',
        errorResponse: { flagKey, reason: FORGED },
      })),
    ],
    ['as a variant', answering(orMissing(({ flagKey }) => item.variant(flagKey, FORGED)))],
    [
      'as an attachment',
      answering(orMissing(({ flagKey }) => item.variant(flagKey, 'a', { variantAttachment: FORGED }))),
    ],
  ])('%s', async (_, script) => {
    const server = await serving(script);
    const background = recordingLogger();
    const { client, provider } = await open({ url: server.url, logger: background, initTimeoutMs: 300 });
    const logger = recordingLogger();
    client.setLogger(logger);
    const told = [
      await client.getNumberDetails('a', 1),
      await client.getObjectDetails('a', {}),
      await provider.resolveBooleanEvaluation(FORGED, false, { [FORGED]: FORGED }, logger),
    ];
    const messages = told.map(({ errorMessage }) => errorMessage ?? '');
    const logged = [background, logger].flatMap((one) =>
      Object.values(one).flatMap(({ mock }) => mock.calls.flat()),
    );
    expect(messages.join('')).not.toBe('');
    for (const words of [...messages, ...logged.filter((part) => typeof part === 'string')]) {
      expect(words).not.toMatch(STEERS);
      expect(words.length).toBeLessThan(1000);
    }
  });

  it('by the typed client as well', async () => {
    const server = await serving(saying(400, { code: 3, message: FORGED, details: [] }));
    const client = new FliptClient({ url: server.url });
    const error: unknown = await client.segments.get('default', 'a').catch((reason: unknown) => reason);
    await client.close();
    expect(error).toBeInstanceOf(FliptServiceError);
    expect((error as FliptServiceError).message).not.toMatch(STEERS);
  });
});

describe('the embedded service', () => {
  let url: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const service = await startLocalService({
      features: '{"version":"1.4"}',
      bootstrapToken: 'a-token-of-tests',
    });
    url = service.url;
    close = () => service.close();
  });
  afterAll(async () => close());

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
    'has no namespace, flag or token called %s',
    async (name) => {
      const client = new FliptClient({ url, auth: { token: 'a-token-of-tests' } });
      const { responses } = await client.evaluation.batch([
        { namespaceKey: name, flagKey: name, entityId: name },
      ]);
      expect(responses[0]?.errorResponse?.reason).toBe('NOT_FOUND_ERROR_EVALUATION_REASON');
      await expect(client.segments.get(name, name)).rejects.toMatchObject({ status: 404 });
      await expect(client.tokens.get(name)).rejects.toMatchObject({ status: 404 });
      await client.close();
      const refused = await fetch(`${url}/api/v1/namespaces/default/segments`, {
        headers: { authorization: `Bearer ${name}` },
      });
      expect(refused.status).toBe(401);
    },
  );
});

describe('nothing reaches the prototype of all objects', () => {
  const POLLUTING =
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":[{"__proto__":{"polluted":1}}]}';
  const isPolluted = () => 'polluted' in {} || 'polluted' in [] || 'polluted' in (() => 0);

  it('from an attachment, and no object told has another prototype', async () => {
    const server = await serving(
      answering(({ flagKey }) => item.variant(flagKey, 'a', { variantAttachment: POLLUTING })),
    );
    const { client } = await open({ url: server.url });
    const value = (await client.getObjectValue('a', {})) as { a: object[] };
    expect([value, value.a[0]].map((one) => Object.getPrototypeOf(one ?? null) as unknown)).toEqual([
      Object.prototype,
      Object.prototype,
    ]);
    expect(Object.assign({}, value)).not.toHaveProperty('polluted');
    expect(isPolluted()).toBe(false);
  });

  it('from an answer, an error body, a context, options or headers', async () => {
    const polluting = JSON.parse(POLLUTING) as object;
    const answers: Script[] = [
      (_, response) => response.end(POLLUTING),
      (_, response) =>
        response.writeHead(400).end(`{"message":"m","details":[${POLLUTING}],"__proto__":{"code":5}}`),
      (request, response) =>
        request.method === 'POST'
          ? answering(({ flagKey }) => ({ ...polluting, ...item.boolean(flagKey, true, polluting) }))(
              request,
              response,
            )
          : response.end(POLLUTING),
    ];
    for (const script of answers) {
      const server = await serving(script);
      const provider = flipt({ url: server.url });
      await provider.resolveBooleanEvaluation('__proto__', false, { ...polluting, it: polluting } as never);
      await provider.resolveObjectEvaluation('constructor', {}, JSON.parse(POLLUTING) as never);
      await provider.onClose();
      const client = new FliptClient({ url: server.url });
      await client.segments.list('__proto__').catch(() => undefined);
      await client.close();
    }
    expect(() => new FliptProvider(polluting as never)).toThrow(TypeError);
    expect(() => new FliptProvider(JSON.parse('{"cache":{"__proto__":{"freshForMs":1}}}') as never)).toThrow(
      TypeError,
    );
    expect(isPolluted()).toBe(false);
  });

  it('from a features file or a request to the embedded service', async () => {
    const flag = '{"key":"__proto__","type":"BOOLEAN_FLAG_TYPE","enabled":true}';
    const service = await localService({ features: `{"version":"1.4","flags":[${flag}]}` });
    const provider = flipt({ url: service.url });
    expect(await provider.resolveBooleanEvaluation('__proto__', false, {})).toMatchObject({ value: true });
    await provider.onClose();
    await startLocalService({ features: `{"version":"1.4","flags":[{"key":"a","metadata":${POLLUTING}}]}` })
      .then((other) => other.close())
      .catch(() => undefined);
    for (const path of [
      '/evaluate/v1/batch',
      '/api/v1/namespaces/default/segments',
      '/auth/v1/method/token',
    ]) {
      await (await fetch(service.url + path, { method: 'POST', body: POLLUTING })).text();
    }
    expect(isPolluted()).toBe(false);
  });
});

describe('an answer that is a burden', () => {
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  it.each<[string, string]>([
    ['deep', `{"responses":${deep(100_000)}}`],
    ['of a hundred thousand items', `{"responses":[${Array.from({ length: 100_000 }, () => '{}').join()}]}`],
    ['with a number beyond all', '{"responses":[1e999999]}'],
    ['with members of other types', '{"responses":[{"type":{},"variantResponse":[],"booleanResponse":"x"}]}'],
    ['of members that repeat', `{${'"responses":[],'.repeat(10_000)}"responses":null}`],
  ])('%s ends in the default, and the next one is read', async (_, text) => {
    let isHostile = true;
    const good = answering(({ flagKey }) => item.boolean(flagKey));
    const server = await serving((request, response) =>
      isHostile ? response.end(text) : good(request, response),
    );
    const provider = flipt({
      url: server.url,
      deadlineMs: 10_000,
      http: { timeoutMs: 10_000 },
      breaker: false,
    });
    expect(await provider.resolveBooleanEvaluation('a', false, {})).toMatchObject({
      value: false,
      reason: 'ERROR',
    });
    isHostile = false;
    expect(await provider.resolveBooleanEvaluation('a', false, {})).toMatchObject({ value: true });
    await provider.onClose();
  });

  it('as an attachment is no object to be had, or one that is', async () => {
    const server = await serving(
      answering(({ flagKey }) => item.variant(flagKey, 'a', { variantAttachment: deep(Number(flagKey)) })),
    );
    const provider = flipt({ url: server.url, deadlineMs: 10_000, http: { timeoutMs: 10_000 } });
    for (const depth of ['1', '1000', '100000']) {
      const details = await provider.resolveObjectEvaluation(depth, { mine: true }, {});
      expect(details.errorCode ?? 'value').toMatch(/^(value|PARSE_ERROR)$/);
    }
    await provider.onClose();
  });
});
