import { describe, expect, it } from 'vitest';
import { FeaturesError, startLocalService } from '../../src/local/index.js';
import type { LocalServiceOptions } from '../../src/local/index.js';
import { ask, BASE_FEATURES, evaluate } from './requests.fixture.js';
import { OPEN, SEGMENTS, useServices } from './running.fixture.js';

const start = useServices();

describe('a service in this process', () => {
  it('listens on loopback, each on a port of its own', async () => {
    const services = await Promise.all([start(), start(), start()]);
    expect(new Set(services.map(({ url }) => url)).size).toBe(3);
    for (const { url } of services) {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(await ask(url, 'GET /health')).toMatchObject({ status: 200, body: { status: 'SERVING' } });
    }
  });

  it('counts requests', async () => {
    const service = await start();
    expect(service.requests).toBe(0);
    await evaluate(service.url, [OPEN, OPEN]);
    await ask(service.url, 'GET /nowhere');
    expect(service.requests).toBe(2);
  });

  it('switches a flag for the very next evaluation', async () => {
    const service = await start();
    await service.setFlag('default', 'open', { enabled: false });
    expect(await evaluate(service.url, [OPEN])).toMatchObject([
      { enabled: false, reason: 'DEFAULT_EVALUATION_REASON' },
    ]);
    await expect(service.setFlag('default', 'gone', { enabled: true })).rejects.toThrow(
      'flag "default/gone" not found',
    );
    await expect(service.setFlag('gone', 'open', { enabled: true })).rejects.toThrow(
      'flag "gone/open" not found',
    );
  });

  it.each<[unknown, string]>([
    [{ enabled: 'false' }, 'setFlag: enabled: expected true or false, got a string'],
    [{ enabled: undefined }, 'setFlag: enabled: expected true or false, got undefined'],
    [{}, 'setFlag: enabled: expected true or false, got undefined'],
    [{ enabled: true, enable: true }, 'setFlag: enable: unknown option; did you mean "enabled"?'],
    [{ variant: 'red' }, 'setFlag: enabled: expected true or false, got undefined'],
    [true, 'setFlag: options: expected an object { enabled }, got true'],
    [undefined, 'setFlag: options: expected an object { enabled }, got undefined'],
  ])('refuses to set a flag to %j, and leaves it as it is', async (state, message) => {
    const service = await start();
    await expect(service.setFlag('default', 'open', state as { enabled: boolean })).rejects.toThrow(
      new TypeError(message),
    );
    expect(await evaluate(service.url, [OPEN])).toMatchObject([{ enabled: true }]);
  });

  it('replaces the features, or keeps the old ones if the new ones are wrong', async () => {
    const service = await start();
    await expect(service.load({ flags: [{ key: 'a' }, { key: 'a' }] })).rejects.toThrow(FeaturesError);
    expect(await evaluate(service.url, [OPEN])).toMatchObject([{ enabled: true }]);
    await service.load({ flags: [{ key: 'other', type: 'BOOLEAN_FLAG_TYPE' }] });
    expect(await evaluate(service.url, [OPEN, { flagKey: 'other' }])).toMatchObject([
      { reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' },
      { enabled: false },
    ]);
  });

  it('can be closed twice, and disposed', async () => {
    const service = await start();
    await Promise.all([service.close(), service[Symbol.asyncDispose]()]);
    await expect(fetch(`${service.url}/health`)).rejects.toThrow();
  });

  it('says that a port is taken', async () => {
    const { url } = await start();
    await expect(start({ features: BASE_FEATURES, port: Number(new URL(url).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  it('listens on the given host', async () => {
    const { url } = await start({ features: BASE_FEATURES, host: '127.0.0.2' });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.2:/);
  });
});

describe('options that are wrong', () => {
  it.each<[unknown, string]>([
    [undefined, 'startLocalService: options: expected an object of options, got undefined'],
    [{ features: 5 }, 'features: expected a path, YAML text or documents, got 5'],
    [{ features: 'f', port: -1 }, 'port: expected an integer from 0 to 65535, got -1'],
    [{ features: 'f', port: '80' }, 'port: expected an integer from 0 to 65535, got a string'],
    [{ features: 'f', host: '' }, "host: expected an address to listen on, got ''"],
    [{ features: 'f', semantics: 'v3' }, 'semantics: expected "v1", "v2.8" or "v2", got a string'],
    [{ features: 'f', data: 5 }, 'data: expected the path of a file, got 5'],
    [{ features: 'f', bootstrapToken: 12345 }, 'bootstrapToken: expected a token, got a number'],
    // No header could match them.
    [{ features: 'f', bootstrapToken: 'a b' }, 'bootstrapToken: expected a token alone, without Bearer'],
    [{ features: 'f', bootstrapToken: 'a\n' }, 'bootstrapToken: expected a token without line breaks'],
    [{ features: 'f', prot: 80 }, 'prot: unknown option; did you mean "port"?'],
    [{}, 'startLocalService: features: missing; expected a path, YAML text or documents'],
  ])('%j', async (options, message) => {
    const starting = startLocalService(options as LocalServiceOptions);
    await expect(starting).rejects.toThrow(TypeError);
    await expect(starting).rejects.toThrow(message);
  });
});

describe('v2 semantics', () => {
  it('serve evaluation only', async () => {
    const { url } = await start({ features: BASE_FEATURES, semantics: 'v2' });
    expect(await evaluate(url, [{ flagKey: 'bare' }])).toMatchObject([
      { variantKey: 'one', variantAttachment: 'null' },
    ]);
    expect(await ask(url, 'GET /health')).toMatchObject({ status: 200 });
    const notFound = { status: 404, body: { code: 5, message: 'Not Found', details: [] } };
    expect(await ask(url, `GET ${SEGMENTS}`)).toMatchObject(notFound);
    expect(await ask(url, 'POST /auth/v1/method/token')).toMatchObject(notFound);
    expect(await ask(url, 'GET /evaluate/v1/batch')).toMatchObject({ status: 501 });
  });

  it('know one environment', async () => {
    const { url } = await start({ features: BASE_FEATURES, semantics: 'v2' });
    const evaluated = async (environment: string, requests: readonly unknown[]): Promise<unknown> => {
      const headers = { 'X-Flipt-Environment': environment };
      return ask(url, 'POST /evaluate/v1/batch', { headers, body: { requests } });
    };
    expect(await evaluated('default', [OPEN])).toMatchObject({ status: 200 });
    expect(await evaluated('', [OPEN])).toMatchObject({ status: 200 });
    expect(await evaluated('production', [])).toMatchObject({ status: 200 });
    expect(await evaluated('production', [OPEN])).toMatchObject({ status: 404, body: { code: 5 } });
  });

  it('are not those of v1, which knows no environments', async () => {
    const { url } = await start();
    const headers = { 'X-Flipt-Environment': 'production' };
    const answer = await ask(url, 'POST /evaluate/v1/batch', { headers, body: { requests: [OPEN] } });
    expect(answer).toMatchObject({ status: 200 });
  });
});
