import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FliptClient } from '../../src/client/index.js';
import { FliptProvider } from '../../src/index.js';
import { startLocalService } from '../../src/local/index.js';
import { PATIENT } from '../eventually.fixture.js';
import { flipt, localService, open, serving } from '../provider/open.fixture.js';
import { answering, item, type Script } from '../servers/scripted.fixture.js';

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
      const client = new FliptClient({ url, auth: { token: 'a-token-of-tests' }, http: PATIENT.http });
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

  it('from an attachment, and no returned object has another prototype', async () => {
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
      const client = new FliptClient({ url: server.url, http: PATIENT.http });
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
