import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { DataFileError, FeaturesError, type LocalService, startLocalService } from '../../src/local/index.js';
import type { LocalServiceOptions } from '../../src/local/index.js';
import { useFolder } from './folder.js';
import { ask, BASE_FEATURES, evaluate } from './requests.js';

const at = useFolder();
const running: LocalService[] = [];

async function start(options: LocalServiceOptions = { features: BASE_FEATURES }): Promise<LocalService> {
  const service = await startLocalService(options);
  running.push(service);
  return service;
}

afterAll(async () => {
  await Promise.all(running.map((service) => service.close()));
});

const SEGMENTS = '/api/v1/namespaces/default/segments';
const OPEN = { flagKey: 'open', entityId: 'u1' };

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
    [{ enabled: 'false' }, 'enabled: expected true or false, got "false"'],
    [{ enabled: undefined }, 'enabled: expected true or false, got undefined'],
    [{}, 'enabled: expected true or false, got undefined'],
    [{ enabled: true, enable: true }, 'enable: unknown member; expected { enabled }'],
    [true, 'state: expected { enabled }, got true'],
    [undefined, 'state: expected { enabled }, got undefined'],
  ])('refuses to set a flag to %j, and leaves it as it is', async (state, message) => {
    const service = await start();
    await expect(service.setFlag('default', 'open', state as { enabled: boolean })).rejects.toThrow(
      new TypeError(message),
    );
    expect(await evaluate(service.url, [OPEN])).toMatchObject([{ enabled: true }]);
  });

  it('takes other features in place of the old ones, or keeps them where the new ones are wrong', async () => {
    const service = await start();
    await expect(service.load({ flags: [{ key: '' }] })).rejects.toThrow(FeaturesError);
    expect(await evaluate(service.url, [OPEN])).toMatchObject([{ enabled: true }]);
    await service.load({ flags: [{ key: 'other', type: 'BOOLEAN_FLAG_TYPE' }] });
    expect(await evaluate(service.url, [OPEN, { flagKey: 'other' }])).toMatchObject([
      { reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' },
      { enabled: false },
    ]);
  });

  it('may be closed twice, and be disposed of', async () => {
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

  it('listens where it is told', async () => {
    const { url } = await start({ features: BASE_FEATURES, host: '127.0.0.2' });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.2:/);
  });
});

describe('options that are wrong', () => {
  it.each<[unknown, string]>([
    [undefined, 'options: expected an object, got undefined'],
    [{ features: 5 }, 'features: expected a path, YAML text or documents, got 5'],
    [{ features: 'f', port: -1 }, 'port: expected an integer from 0 to 65535, got -1'],
    [{ features: 'f', port: '80' }, 'port: expected an integer from 0 to 65535, got "80"'],
    [{ features: 'f', host: '' }, 'host: expected an address to listen on, got 0'],
    [{ features: 'f', semantics: 'v3' }, 'semantics: expected "v1" or "v2", got "v3"'],
    [{ features: 'f', data: 5 }, 'data: expected the path of a file, got 5'],
    [{ features: 'f', bootstrapToken: 12345 }, 'bootstrapToken: expected a token'],
    [
      { features: 'f', prot: 80 },
      'prot: unknown option, expected one of features, port, host, semantics, data, bootstrapToken',
    ],
    [{}, 'features: missing; expected a path, YAML text or documents'],
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

describe('a service that requires tokens', () => {
  const token = 'dummy-bootstrap';
  const options = { features: BASE_FEATURES, bootstrapToken: token };

  it('answers 401 to everything but /health, whatever is wrong with the token', async () => {
    const { url } = await start(options);
    for (const given of [undefined, '', 'wrong', ` ${token}`]) {
      const refused = await ask(url, `GET ${SEGMENTS}`, { token: given });
      expect(refused).toMatchObject({
        status: 401,
        body: { code: 16, message: 'request was not authenticated', details: [] },
      });
      expect(refused.headers.get('WWW-Authenticate')).toBe('Bearer');
    }
    expect(await ask(url, 'GET /health')).toMatchObject({ status: 200 });
    expect(await ask(url, `GET ${SEGMENTS}`, { token })).toMatchObject({ status: 200 });
  });

  it('does not read the body of somebody it does not know', async () => {
    const { url } = await start(options);
    expect(await ask(url, `POST ${SEGMENTS}`, { body: '{bad' })).toMatchObject({ status: 401 });
  });

  it('keeps tokens over a restart, but only their hashes', async () => {
    const data = at('tokens.json');
    const first = await start({ ...options, data });
    const made = await ask(first.url, 'POST /auth/v1/method/token', {
      token,
      body: { name: 'ci', namespaceKey: 'team' },
    });
    const { clientToken } = made.body as { clientToken: string };
    await first.close();

    expect(await readFile(data, 'utf8')).not.toContain(clientToken);
    expect(await readFile(data, 'utf8')).not.toContain(token);
    const second = await start({ bootstrapToken: token, data });
    const team = '/api/v1/namespaces/team';
    expect(await ask(second.url, `GET ${team}/segments`, { token: clientToken })).toMatchObject({
      status: 200,
    });
    expect(await ask(second.url, `GET ${SEGMENTS}`, { token: clientToken })).toMatchObject({ status: 401 });
    expect(await ask(second.url, `GET ${team}/flags/open/rules`, { token: clientToken })).toMatchObject({
      status: 200,
    });
  });
});

describe('a service with a data file', () => {
  it('starts from the file if it exists, and writes it at once if it does not', async () => {
    const data = at('state.json');
    const first = await start({ features: BASE_FEATURES, data });
    const before = await ask(first.url, `GET ${SEGMENTS}`);
    await first.close();
    const second = await start({ features: { flags: [] }, data });
    expect(await ask(second.url, `GET ${SEGMENTS}`)).toMatchObject({ body: before.body });
    await second.setFlag('default', 'open', { enabled: false });
    await ask(second.url, `POST ${SEGMENTS}`, { body: { key: 'made', name: 'Made' } });
    await second.close();
    const third = await start({ data });
    expect(await evaluate(third.url, [OPEN])).toMatchObject([{ enabled: false }]);
    expect(await ask(third.url, `GET ${SEGMENTS}/made`)).toMatchObject({ status: 200 });
  });

  it('cannot start from nothing, nor from a damaged file', async () => {
    await expect(start({ data: at('nothing.json') })).rejects.toThrow(DataFileError);
    await expect(start({ data: at('nothing.json') })).rejects.toThrow(
      /does not exist yet, so features are needed/,
    );
    const nowhere = start({ features: BASE_FEATURES, data: at('no/where.json') });
    await expect(nowhere).rejects.toThrow(DataFileError);
    await expect(nowhere).rejects.toThrow(/where\.json: cannot be written: ENOENT/);
    await writeFile(at('damaged.json'), 'damaged');
    await expect(start({ features: BASE_FEATURES, data: at('damaged.json') })).rejects.toThrow(DataFileError);
    expect(await readFile(at('damaged.json'), 'utf8')).toBe('damaged');
  });

  it('answers 500 to a change while another process has changed the file, and still evaluates as before', async () => {
    const data = at('contested.json');
    const service = await start({ features: BASE_FEATURES, data });
    const { url } = service;
    await writeFile(data, 'mine');
    const answer = await ask(url, `POST ${SEGMENTS}`, { body: { key: 'made', name: 'Made' } });
    expect(answer).toMatchObject({ status: 500, body: { code: 13, details: [] } });
    expect(answer.body.message).toMatch(/another process has changed/);
    await expect(service.setFlag('default', 'open', { enabled: false })).rejects.toThrow(
      /another process has changed/,
    );
    expect(await evaluate(url, [OPEN])).toMatchObject([{ enabled: true }]);
    expect(await ask(url, `GET ${SEGMENTS}/made`)).toMatchObject({ status: 404 });
    expect(await readFile(data, 'utf8')).toBe('mine');
  });

  it('finishes the changes in flight before it is closed', async () => {
    const data = at('closing.json');
    const service = await start({ features: BASE_FEATURES, data });
    const changes = Array.from({ length: 10 }, (_, index) =>
      service.setFlag('default', 'open', { enabled: index % 2 === 0 }),
    );
    await service.close();
    await Promise.all(changes);
    const again = await start({ data });
    expect(await evaluate(again.url, [OPEN])).toMatchObject([{ enabled: false }]);
  });
});

describe('changes made through the interface', () => {
  it('with an enum that has no name are kept as its number', async () => {
    const { url } = await start();
    const matchType = { key: 'odd', name: 'Odd', matchType: 7 };
    expect(await ask(url, `POST ${SEGMENTS}`, { body: matchType })).toMatchObject({ body: { matchType: 7 } });
    const rule = { segmentKeys: ['beta', 'odd'], rank: 1, segmentOperator: 9 };
    const rules = '/api/v1/namespaces/default/flags/banner/rules';
    expect(await ask(url, `POST ${rules}`, { body: rule })).toMatchObject({ body: { segmentOperator: 9 } });
  });

  it('put a rule behind those of its rank, before those of a higher one', async () => {
    const { url } = await start();
    const rules = '/api/v1/namespaces/default/flags/banner/rules';
    for (const rank of [3, 1, 2, 1]) {
      await ask(url, `POST ${rules}`, { body: { segmentKey: 'staff', rank } });
    }
    const { body } = await ask(url, `GET ${rules}`);
    const list = body.rules as { rank: number; segmentKey: string }[];
    expect(list.map(({ rank }) => rank)).toEqual([1, 1, 1, 2, 3]);
    expect(list[0]?.segmentKey).toBe('beta');
  });

  it('refuse an attachment of more than 1,000 KB', async () => {
    const { url } = await start();
    const flag = '/api/v1/namespaces/default/flags/banner';
    const { body } = await ask(url, `GET ${flag}/rules`);
    const [rule] = body.rules as { distributions: { variantId: string }[] }[];
    const path = `PUT ${flag}/variants/${rule?.distributions[0]?.variantId ?? ''}`;
    const attachment = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));
    expect(await ask(url, path, { body: { key: 'red', attachment: attachment(1_024_000) } })).toMatchObject({
      status: 200,
    });
    expect(await ask(url, path, { body: { key: 'red', attachment: attachment(1_024_001) } })).toMatchObject({
      status: 400,
      body: { message: 'invalid field attachment: must be less than 1000 KB' },
    });
  });

  it('are refused for a negative limit with a 400', async () => {
    const { url } = await start();
    expect(await ask(url, `GET ${SEGMENTS}?limit=-1`)).toMatchObject({ status: 400, body: { code: 3 } });
    expect(await ask(url, `GET ${SEGMENTS}?limit=1&offset=-1`)).toMatchObject({
      status: 400,
      body: { code: 3 },
    });
  });
});

describe('hostile names', () => {
  it.each(['__proto__', 'constructor', 'toString'])('%s is a name like any other', async (name) => {
    const { url } = await start();
    expect(await evaluate(url, [{ flagKey: name }, { namespaceKey: name, flagKey: 'open' }])).toMatchObject([
      { reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' },
      { reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' },
    ]);
    expect(await ask(url, `GET ${SEGMENTS}/${name}`)).toMatchObject({ status: 404 });
    expect(await ask(url, `POST ${SEGMENTS}`, { body: { key: name, name } })).toMatchObject({ status: 200 });
    expect(await ask(url, `GET ${SEGMENTS}/${name}`)).toMatchObject({ status: 200, body: { key: name } });
  });
});
