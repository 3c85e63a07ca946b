import { connect } from 'node:net';
import { once } from 'node:events';
import { OpenFeature } from '@openfeature/server-sdk';
import express from 'express';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/base/time/clock.js';
import { ofrep as inExpress } from '../../../src/adapters/express/index.js';
import type { FliptProvider } from '../../../src/index.js';
import { ofrep } from '../../../src/adapters/ofrep/index.js';
import { localService, open } from '../../provider/open.fixture.js';
import { crowd } from '../../traffic/crowd.fixture.js';
import { listening } from '../../traffic/listening.fixture.js';
import { USERS, whoseFeatures } from '../../traffic/whose.fixture.js';
import { FEATURES, ITEMS, KEYS } from './features.fixture.js';
import { ask, hosted, HOSTS, type HostOptions } from './hosts.fixture.js';
import { eventually } from '../../eventually.fixture.js';

const flipt = async () => {
  const service = await localService({ features: FEATURES });
  return (await open({ url: service.url })).provider;
};
const PRO = { context: { plan: 'pro', targetingKey: 'grace' } };
const plain = (body: ReadableStream<Uint8Array>, provider?: FliptProvider) =>
  ofrep({ provider, flags: KEYS, context: () => ({}) })(
    new Request('http://app/api/ofrep/v1/evaluate/flags', { method: 'POST', body, duplex: 'half' }),
  );

afterEach(() => {
  vi.restoreAllMocks();
  OpenFeature.setContext({});
});

it.each([HOSTS[0], HOSTS[2]])(
  '%s, gives each of 200 requests at once the flags of its own user, which nobody stores',
  async (_, host) => {
    const service = await localService({ features: whoseFeatures(USERS, 2) });
    const { provider } = await open({ url: service.url, evaluation: 'in-process' });
    const url = await hosted(host, { provider, flags: ['whose-0', 'whose-1'] });
    const etags = new Map<string, string>();
    await crowd(USERS, async (user) => {
      const { headers, body } = await ask(url, undefined, { user });
      expect(headers.get('cache-control')).toBe('no-store');
      etags.set(user, headers.get('etag') ?? '');
      return (body as { flags: readonly { value: unknown }[] }).flags.map(({ value }) => value);
    });
    expect(new Set(etags.values()).size).toBe(USERS.length);
  },
);

describe.each([HOSTS[0], HOSTS[3]])('%s', (_, host) => {
  const reason = async (options: Omit<HostOptions, 'flags'>, asking = PRO) => {
    const provider = await flipt();
    const evaluated = vi.spyOn(provider, 'evaluateEach');
    const url = await hosted(host, { provider, flags: KEYS, ...options });
    const { body } = await ask(url, 'for-pro', asking);
    return { body, context: evaluated.mock.calls[0]?.[0] };
  };

  it('evaluates for the user of the request, and ignores the context in the body', async () => {
    const { body, context } = await reason({});
    expect(context).toEqual({ targetingKey: 'ada' });
    expect(body).toEqual(ITEMS[2]);
  });

  it('takes from the body the attributes of allow that nothing else gives', async () => {
    const allowed = await reason({ allow: ['plan', 'toString', 'region'] });
    // The mark says that a browser has extended the context: its answers take a small part of the cache.
    const mark = { [Symbol.for('openfeature-flipt-provider.extended-context')]: true };
    expect(allowed.context).toEqual({ targetingKey: 'ada', plan: 'pro', ...mark });
    expect(allowed.body).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
    OpenFeature.setContext({ plan: 'free' });
    expect((await reason({ allow: ['plan'] })).context).toMatchObject({ plan: 'free' });
    const own = { contextOf: async () => Promise.resolve({ targetingKey: 'linus', plan: 'none' }) };
    expect((await reason({ allow: ['plan'], ...own })).context).toEqual({
      targetingKey: 'linus',
      plan: 'none',
      ...mark,
    });
  });

  it('takes a member called __proto__ as an attribute', async () => {
    const hostile = JSON.parse('{"context":{"__proto__":{"plan":"pro"}}}') as typeof PRO;
    const { body, context } = await reason({ allow: ['__proto__', 'plan'] }, hostile);
    expect(Object.getPrototypeOf(context)).toBe(Object.prototype);
    expect(body).toEqual(ITEMS[2]);
  });

  it('refuses an attribute that is nested deeper than JSON can be written', async () => {
    const url = await hosted(host, { provider: await flipt(), flags: KEYS, allow: ['plan'] });
    const body = `{"context":{"plan":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
    expect((await ask(url, undefined, { body })).status).toBe(400);
  });

  it('does not need a context in the body', async () => {
    const url = await hosted(host, { provider: await flipt(), flags: KEYS });
    expect((await ask(url, undefined, { body: '{}' })).body).toEqual({ flags: ITEMS });
  });

  it('answers 400 if the provider cannot use the context', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, targetingKey: 'required' });
    const missing = { status: 400, body: { errorCode: 'TARGETING_KEY_MISSING' } };
    const nobody = await hosted(host, { provider, flags: KEYS, contextOf: () => ({}) });
    expect(await ask(nobody)).toMatchObject(missing);
    expect(await ask(nobody, 'on', PRO)).toMatchObject(missing);
    const dated = await hosted(host, {
      provider,
      flags: KEYS,
      contextOf: () => ({ targetingKey: 'ada', plan: new Date(NaN) }),
    });
    const invalid = { status: 400, body: { errorCode: 'INVALID_CONTEXT', key: 'for-pro' } };
    expect(await ask(dated, 'for-pro')).toMatchObject(invalid);
  });
});

describe.each(HOSTS)('%s', (name, host) => {
  it.each([
    ['{"context":{}', 'PARSE_ERROR'],
    ['', 'PARSE_ERROR'],
    ['[]', 'PARSE_ERROR'],
    ['{"context":[]}', 'INVALID_CONTEXT'],
    ['{"context":null}', 'INVALID_CONTEXT'],
  ])('refuses the body %s', async (body, errorCode) => {
    // express.json() itself must refuse the bodies that it reads.
    if (name.endsWith('json') && body === '{"context":{}') return;
    const url = await hosted(host, { provider: await flipt(), flags: KEYS });
    expect(await ask(url, undefined, { body })).toMatchObject({ status: 400, body: { errorCode } });
    expect(await ask(url, 'on', { body })).toMatchObject({ status: 400, body: { key: 'on', errorCode } });
  });

  it('reads no more than 64 kB', async () => {
    const url = await hosted(host, { provider: await flipt(), flags: KEYS });
    // Not of spaces, which `express.json()` has dropped before the body is measured.
    const body = (size: number) => JSON.stringify({ x: 'x'.repeat(size - 8) });
    const details = { errorCode: 'GENERAL', errorDetails: 'the body has more than 64 kB' };
    expect((await ask(url, undefined, { body: body(65_536) })).status).toBe(200);
    expect(await ask(url, undefined, { body: body(65_537) })).toMatchObject({ status: 413, body: details });
  });

  it('accepts only POST', async () => {
    const url = await hosted(host, { provider: await flipt(), flags: KEYS });
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${url}/ofrep/v1/evaluate/flags`, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await fetch(`${url}/ofrep/v1/elsewhere`, { method: 'POST' })).status).toBe(404);
  });

  it.each<[string, () => never | Promise<never>]>([
    [
      'throws',
      () => {
        throw new Error('no session');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('no session'))],
    ['returns no object', () => 'ada' as never],
  ])("leaves it to the framework's error handling if context %s", async (_, contextOf) => {
    vi.spyOn(console, 'error').mockReturnValue();
    const url = await hosted(host, { provider: await flipt(), flags: KEYS, contextOf });
    const response = await fetch(`${url}/ofrep/v1/evaluate/flags/on`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('errorCode');
  });
});

it('ends when context does not settle', async () => {
  // The clock stands still, so that no part of the time limit passes before its timer is set.
  const now = vi.spyOn(systemClock, 'now').mockReturnValue(0);
  const after = vi.spyOn(systemClock, 'after').mockReturnValue(() => undefined);
  const handler = ofrep({ flags: [], context: async () => new Promise(() => undefined) });
  const answer = handler(new Request('http://app/ofrep/v1/evaluate/flags', { method: 'POST', body: '{}' }));
  expect(after).toHaveBeenCalledExactlyOnceWith(1_000, expect.any(Function), undefined);
  now.mockReturnValue(1_000);
  after.mock.calls[0]?.[1]();
  await expect(answer).rejects.toThrow('ofrep: context has not settled within 1000 ms');
});

it('ends when the body does not', async () => {
  // The clock stands still, so that no part of the time limit passes before its timer is set.
  const now = vi.spyOn(systemClock, 'now').mockReturnValue(0);
  const after = vi.spyOn(systemClock, 'after').mockReturnValue(() => undefined);
  const cancel = vi.fn();
  const answer = plain(new ReadableStream({ cancel }));
  await eventually(() => {
    expect(after).toHaveBeenCalledExactlyOnceWith(10_000, expect.any(Function), undefined);
  });
  now.mockReturnValue(10_000);
  after.mock.calls[0]?.[1]();
  expect((await answer).status).toBe(408);
  expect(cancel).toHaveBeenCalledOnce();
});

it('does not wait for the rest of a body that is too large', async () => {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(40_000).fill(32));
    },
  });
  expect((await plain(body)).status).toBe(413);
});

it('says so if somebody has read the body', async () => {
  const handler = ofrep({ flags: [], context: async (request) => ({ text: await request.text() }) });
  const request = new Request('http://app/ofrep/v1/evaluate/flags', { method: 'POST', body: '{}' });
  await expect(handler(request)).rejects.toThrow(
    new TypeError('ofrep: the body of the request has already been read: pass a clone that was made before'),
  );
});

describe('in Express', () => {
  it('sends the answer to the client even if the body is too large and comes in parts', async () => {
    const provider = await flipt();
    const server = await listening(express().use(inExpress({ provider, flags: KEYS, context: () => ({}) })));
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const head = 'POST /ofrep/v1/evaluate/flags HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
    socket.write(`${head}${(70_000).toString(16)}\r\n${' '.repeat(70_000)}\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toContain('HTTP/1.1 413 ');
    await once(socket, 'close');
    await server.close();
  });

  it("leaves a body that express.json() cannot read to Express's own error page", async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const app = express().use(express.json(), inExpress({ flags: KEYS, context: () => ({}) }));
    const server = await listening(app);
    const headers = { 'content-type': 'application/json' };
    const url = `${server.url}/ofrep/v1/evaluate/flags`;
    for (const [body, status] of [
      ['{"context":{}', 400],
      [`{"context":"${'x'.repeat(200_000)}"}`, 413],
    ] as const) {
      const response = await fetch(url, { method: 'POST', headers, body });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        status,
        'text/html; charset=utf-8',
      ]);
    }
    await server.close();
  });

  it('lets other paths go on', async () => {
    const app = express().use(inExpress({ provider: await flipt(), flags: KEYS, context: () => ({}) }));
    app.use((req, res) => void res.send(`elsewhere: ${req.path}`));
    const server = await listening(app);
    for (const path of [
      '/',
      '/ofrep/v1/evaluate',
      '/ofrep/v1/evaluate/flags/a/b',
      '/x/ofrep/v1/evaluate/flags',
    ]) {
      expect(await (await fetch(`${server.url}${path}`)).text()).toBe(`elsewhere: ${path}`);
    }
    await server.close();
  });
});
