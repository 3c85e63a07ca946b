import { OpenFeature, ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it, vi } from 'vitest';
import { openRequestView, REQUEST_VIEW } from '../../src/index.js';
import { answering, item, itemsOf, orMissing } from '../servers/scripted.fixture.js';
import { FEATURES } from './features.fixture.js';
import { flipt, localService, open, recordingLogger, register, serving } from './open.fixture.js';
import { eventually } from '../eventually.fixture.js';
import { questionsTo } from '../servers/questions-to.fixture.js';

const USER = { targetingKey: 'user-1' };
const FLAGS = ['on', 'off', 'half', 'staff-only', 'colour', 'limit', 'layout', 'retired', 'early', 'nobody'];

/** A server that answers every flag with a variant named after the flag and the user. */
const echo = () =>
  serving(answering(orMissing(({ flagKey, entityId }) => item.variant(flagKey, `${flagKey}/${entityId}`))));

describe('HTTP requests', () => {
  it('ten flags for a new user, asked at once, take one', async () => {
    const service = await localService({ features: FEATURES });
    const { client } = await open({ url: service.url, watch: false });
    const questions = questionsTo(service);
    await Promise.all(FLAGS.map((flag) => client.getStringDetails(flag, '', USER)));
    expect(questions()).toBe(1);
    await Promise.all(FLAGS.map((flag) => client.getStringDetails(flag, '', USER)));
    expect(questions()).toBe(1);
  });

  it('identical questions, asked at once, are one question', async () => {
    const server = await echo();
    const { client } = await open({ url: server.url });
    const values = await Promise.all(
      Array.from({ length: 100 }, () => client.getStringValue('a', '', { ...USER, b: 1, c: 2 })),
    );
    const alike = await client.getStringValue('a', '', { c: 2, b: 1, ...USER });
    expect(new Set([...values, alike])).toEqual(new Set(['a/user-1']));
    expect(server.requests.slice(1).map((request) => itemsOf(request).length)).toEqual([1]);
  });

  it('each caller in a batch gets its own answer', async () => {
    const server = await echo();
    const { client } = await open({ url: server.url, batch: { maxItems: 7, maxConcurrent: 2 } });
    const users = Array.from({ length: 60 }, (_, at) => `user-${at}`);
    const values = await Promise.all(
      users.map((targetingKey) => client.getStringValue('a', '', { targetingKey })),
    );
    expect(values).toEqual(users.map((user) => `a/${user}`));
    expect(server.requests.length - 1).toBe(Math.ceil(60 / 7));
  });

  it('without batches, each question takes one', async () => {
    const server = await echo();
    const { client } = await open({ url: server.url, batch: false });
    await Promise.all(['a', 'b', 'c'].map((flag) => client.getStringValue(flag, '', USER)));
    expect(server.requests.slice(1).map((request) => itemsOf(request).length)).toEqual([1, 1, 1]);
  });

  it('without a cache, each call takes one', async () => {
    const server = await echo();
    const { client } = await open({ url: server.url, cache: false });
    for (let time = 0; time < 3; time++) {
      expect(await client.getStringDetails('a', '', USER)).toMatchObject({
        reason: 'TARGETING_MATCH',
        flagMetadata: { source: 'service' },
      });
    }
    expect(server.requests).toHaveLength(4);
  });

  it('a missing flag takes one for all who ask soon after', async () => {
    const server = await serving(answering(({ flagKey }) => item.missing(flagKey)));
    const { client } = await open({ url: server.url });
    for (let time = 0; time < 3; time++) {
      expect(await client.getStringDetails('a', 'mine', USER)).toMatchObject({
        value: 'mine',
        errorCode: 'FLAG_NOT_FOUND',
      });
    }
    expect(server.requests).toHaveLength(2);
  });

  it('carry the path, the headers and the question that the options name', async () => {
    const server = await echo();
    const { client } = await open({
      url: `${server.url}/base/`,
      namespace: 'shop',
      environment: 'staging',
      reference: 'main',
      auth: { token: 'dummy-token' },
      headers: { 'x-team': 'checkout' },
      attributes: { except: ['request'] },
    });
    await client.getStringValue('a', '', {
      targetingKey: 'u',
      request: 'r-1',
      at: new Date(0),
      tags: ['x', { y: 1 }],
    });
    const [check, asked] = server.requests;
    expect(check).toMatchObject({ path: '/base/evaluate/v1/batch' });
    expect(JSON.parse(check!.body)).toEqual({
      requests: [{ namespaceKey: 'shop', flagKey: '', entityId: '', context: {} }],
      reference: 'main',
    });
    expect(JSON.parse(asked!.body)).toEqual({
      requests: [
        {
          namespaceKey: 'shop',
          flagKey: 'a',
          entityId: 'u',
          context: { at: '1970-01-01T00:00:00.000Z', tags: '["x",{"y":1}]' },
        },
      ],
      reference: 'main',
    });
    expect(asked!.headers).toMatchObject({
      authorization: 'Bearer dummy-token',
      'x-flipt-environment': 'staging',
      'x-team': 'checkout',
      'content-type': 'application/json',
    });
  });
});

describe('prefetch', () => {
  it('asks for flags in one request, whose answers later resolves use', async () => {
    const service = await localService({ features: FEATURES });
    const { client, provider } = await open({ url: service.url, watch: false });
    const questions = questionsTo(service);
    const resolved: string[] = [];
    provider.onEvent((event) => event.type === 'resolved' && resolved.push(event.flag));
    await provider.prefetch(FLAGS, USER);
    expect(await client.getBooleanDetails('on', false, USER)).toMatchObject({
      value: true,
      reason: 'CACHED',
    });
    expect(await client.getNumberValue('limit', 0, USER)).toBe(25);
    expect(questions()).toBe(1);
    // The two resolves; what was asked ahead does not count.
    expect(resolved).toEqual(['on', 'limit']);
  });

  it('is joined by resolves that come while it is under way', async () => {
    const service = await localService({ features: FEATURES });
    const { client, provider } = await open({ url: service.url, watch: false });
    const questions = questionsTo(service);
    const fetched = provider.prefetch(['on']);
    expect(await client.getBooleanValue('on', false)).toBe(true);
    await fetched;
    expect(questions()).toBe(1);
  });

  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    ['on', 'a string'],
    [[5], 'a list of other things'],
    [null, 'null'],
  ])('of %j is a TypeError', async (flags, got) => {
    const provider = flipt({ url: 'http://127.0.0.1:1' });
    await expect(provider.prefetch(flags as never)).rejects.toThrow(
      new TypeError(`prefetch: expected a list of flag keys, got ${got}`),
    );
  });
});

describe('invalidate', () => {
  it.each([[['colour']], [undefined]])(
    '(%j) asks for flags again, and emits that they may have changed',
    async (flags) => {
      const service = await localService({ features: FEATURES });
      const { client, provider } = await open({ url: service.url, watch: false });
      const changed = vi.fn();
      client.addHandler(ProviderEvents.ConfigurationChanged, changed);
      await client.getStringValue('colour', '', USER);
      await client.getBooleanValue('on', false, USER);
      await service.setFlag('default', 'colour', { enabled: false });
      expect(await client.getStringDetails('colour', 'mine', USER)).toMatchObject({
        value: 'blue',
        reason: 'CACHED',
      });
      const questions = questionsTo(service);
      provider.invalidate(flags);
      expect(await client.getStringDetails('colour', 'mine', USER)).toMatchObject({
        value: 'mine',
        reason: 'DISABLED',
      });
      await client.getBooleanValue('on', false, USER);
      expect(questions()).toBe(flags === undefined ? 2 : 1);
      await eventually(() => {
        expect(changed).toHaveBeenCalledOnce();
      });
      if (flags !== undefined)
        expect(changed).toHaveBeenCalledWith(expect.objectContaining({ flagsChanged: flags }));
    },
  );

  it.each([['colour'], [[5]], [null], [{}]])('of %j is a TypeError', (flags) => {
    const provider = flipt({ url: 'http://127.0.0.1:1' });
    expect(() => {
      provider.invalidate(flags as never);
    }).toThrow(
      /^invalidate: expected a list of flag keys, got (a string|a list of other things|null|an object)$/,
    );
  });
});

describe("a request's view", () => {
  it('gives a flag the same answer throughout, even after contexts were merged', async () => {
    const service = await localService({ features: FEATURES });
    const provider = flipt({ url: service.url });
    const { registered, domain } = register(provider);
    await registered;
    const view = openRequestView();
    const client = OpenFeature.getClient(domain, '1', { plan: 'pro' });
    const context = { ...USER, [REQUEST_VIEW]: view };
    expect(await client.getBooleanValue('on', false, context)).toBe(true);
    await service.setFlag('default', 'on', { enabled: false });
    provider.invalidate();
    expect(await client.getBooleanDetails('on', false, context)).toMatchObject({
      value: true,
      reason: 'CACHED',
    });
    expect(await client.getBooleanValue('on', false, USER)).toBe(false);
  });
});

describe('a useless cache', () => {
  it('is warned of, once', async () => {
    const server = await echo();
    const logger = recordingLogger();
    const { client } = await open({ url: server.url, logger });
    for (let at = 0; at < 12; at++) {
      await Promise.all(
        Array.from({ length: 100 }, (_, i) => client.getStringValue('a', '', { ...USER, at: `${at}-${i}` })),
      );
    }
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('nearly each one had another context'),
    );
  });
});
