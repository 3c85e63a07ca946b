import {
  ErrorCode,
  MultiProvider,
  ProviderEvents,
  ProviderStatus,
  type Provider,
} from '@openfeature/server-sdk';
import { describe, expect, it, vi } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import {
  answerJson,
  answering,
  item,
  itemsOf,
  orMissing,
  scriptedServer,
  type Script,
} from '../servers/scripted.fixture.js';
import { changing, good, refusing, watching } from './changing.fixture.js';
import { flipt, open, recordingLogger, refusedAddress, register, serving } from './open.fixture.js';
import { eventually } from '../eventually.fixture.js';
import { useTurningClock } from '../turning-clock.fixture.js';

useTurningClock(25);

/** Alone, and as a MultiProvider's child. */
const ROLES: readonly (readonly [string, (provider: Provider) => Provider])[] = [
  ['alone', (provider) => provider],
  ['as a child of a MultiProvider', (provider) => new MultiProvider([{ provider }])],
];

describe('a provider', () => {
  it('names itself, runs on servers, and has no hooks', async () => {
    const provider = flipt({ url: await refusedAddress() });
    expect(provider).toMatchObject({ metadata: { name: 'flipt' }, runsOn: 'server', hooks: [] });
  });

  it('sends nothing until it is registered or a flag is resolved', async () => {
    const server = await serving(good);
    const provider = flipt({ url: server.url });
    expect(server.requests).toHaveLength(0);
    expect(await provider.resolveStringEvaluation('a', '', {})).toMatchObject({ value: 'blue' });
    expect(server.requests).toHaveLength(1);
    await provider.onClose();
  });

  it('starts once for concurrent callers, who all get the outcome', async () => {
    const server = await serving(good);
    const provider = flipt({ url: server.url });
    await Promise.all([provider.initialize(), provider.initialize()]);
    expect(server.requests).toHaveLength(1);
    await provider.onClose();

    const failing = flipt({ url: await refusedAddress(), initTimeoutMs: 1 });
    const errors = vi.fn();
    failing.events.addHandler(ProviderEvents.Error, errors);
    const both = await Promise.allSettled([failing.initialize(), failing.initialize()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(errors).toHaveBeenCalledTimes(1);
    await failing.onClose();
  });
});

describe.each(ROLES)('%s', (_, inRole) => {
  const start = (options: FliptProviderOptions) => {
    const logger = recordingLogger();
    const { client, registered } = register(inRole(flipt({ logger, ...options })));
    return { client, registered, logger, ...watching(client) };
  };

  it('it asks one real question at its start, is READY, and its handlers run once', async () => {
    const server = await serving(good);
    const { client, registered, counts, logger } = start({ url: server.url, namespace: 'shop' });
    await registered;
    expect(client.providerStatus).toBe(ProviderStatus.READY);
    expect(server.requests.map(itemsOf)).toEqual([
      [{ namespaceKey: 'shop', flagKey: '', entityId: '', context: {} }],
    ]);
    await client.getStringValue('a', '');
    expect(counts).toEqual({ [ProviderEvents.Ready]: 1 });
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it('it tries again at its start until the service answers', async () => {
    const { server, become } = await changing((request, response) => {
      response.socket?.destroy();
      if (server.requests.length === 3) become(good);
    });
    const { client, registered, counts } = start({ url: server.url, initTimeoutMs: 20_000 });
    await registered;
    expect(server.requests.length).toBeGreaterThan(3);
    expect(client.providerStatus).toBe(ProviderStatus.READY);
    expect(counts).toEqual({ [ProviderEvents.Ready]: 1 });
  });

  it.each<[string, Script, RegExp]>([
    ['a 404', (__, response) => response.writeHead(404).end(), /answered 404/],
    [
      "a proxy's HTML",
      (__, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /text\/html/,
    ],
    [
      'no item',
      (__, response) => {
        answerJson(response, { responses: [] });
      },
      /0 items/,
    ],
    ['a 503', (__, response) => response.writeHead(503).end(), /answered 503/],
    ['a reset', (__, response) => response.socket?.destroy(), / failed: /],
  ])(
    'it is in ERROR after %s, calls get their defaults, and READY follows by itself',
    async (__, bad, words) => {
      const { server, become } = await changing(bad);
      // Eighty turns of the clock, so that the time passes only after an answer.
      const { client, registered, until, counts, logger } = start({ url: server.url, initTimeoutMs: 2_000 });
      await expect(registered).rejects.toThrow(words);
      expect(client.providerStatus).toBe(ProviderStatus.ERROR);
      expect(await client.getStringDetails('a', 'mine')).toMatchObject({ value: 'mine', reason: 'ERROR' });
      become(good);
      await until(ProviderStatus.READY);
      expect(counts[ProviderEvents.Ready]).toBe(1);
      expect(await client.getStringValue('a', 'mine')).toBe('blue');
      expect(
        logger.warn.mock.calls.filter(([words]) => /cannot be reached|does not answer/.test(String(words))),
      ).toHaveLength(1);
    },
  );

  it('credentials refused later are an ERROR that is never fatal', async () => {
    const { server, become } = await changing(good);
    const { client, registered, until, logger } = start({ url: server.url, cache: false });
    await registered;
    become(refusing);
    expect(await client.getStringDetails('a', 'mine')).toMatchObject({
      value: 'mine',
      errorCode: ErrorCode.GENERAL,
      errorMessage: expect.stringContaining('401: request was not authenticated') as unknown,
    });
    await until(ProviderStatus.ERROR);
    await client.getStringValue('a', 'mine');
    expect(logger.warn.mock.calls.filter(([words]) => String(words).includes('credentials'))).toHaveLength(1);
    become(good);
    await until(ProviderStatus.READY);
    expect(await client.getStringValue('a', 'mine')).toBe('blue');
  });

  it('it is STALE while the service fails and answers are known, and READY afterwards', async () => {
    const { server, become } = await changing(good);
    const { client, registered, until } = start({
      url: server.url,
      cache: { freshForMs: 0, staleForMs: 0 },
      breaker: { failures: 1, openForMs: 20 },
      http: { retries: 0 },
    });
    await registered;
    await client.getStringValue('a', 'mine');
    become((__, response) => response.writeHead(503).end());
    expect(await client.getStringDetails('a', 'mine')).toMatchObject({ value: 'blue', reason: 'STALE' });
    await until(ProviderStatus.STALE);
    become(good);
    await until(ProviderStatus.READY);
    expect(await client.getStringDetails('a', 'mine')).toMatchObject({
      value: 'blue',
      reason: 'TARGETING_MATCH',
    });
  });
});

describe('a service that comes back on its port', () => {
  it('is found by new connections', async () => {
    const first = await scriptedServer(good);
    const { client } = await open({
      url: first.url,
      cache: false,
      breaker: { openForMs: 20, maxOpenForMs: 20 },
    });
    expect(await client.getStringValue('a', 'mine')).toBe('blue');
    await first.close();
    expect(await client.getStringDetails('a', 'mine')).toMatchObject({
      value: 'mine',
      errorCode: ErrorCode.GENERAL,
    });
    const second = await scriptedServer(good, first.url);
    await eventually(async () => {
      expect(await client.getStringValue('a', 'mine')).toBe('blue');
    });
    await second.close();
  });
});

describe('what the SDK hands out', () => {
  it('is frozen metadata and objects of the caller’s own: changing one changes no other', async () => {
    const server = await serving(
      answering(
        orMissing(({ flagKey }) => item.variant(flagKey, 'v', { variantAttachment: '{"list":[1]}' })),
      ),
    );
    const { client } = await open({ url: server.url });
    const first = await client.getObjectDetails('a', {});
    (first.value as { list: number[] }).list.push(2);
    const second = await client.getObjectDetails('a', {});
    expect(second.value).toEqual({ list: [1] });
    expect(second.flagMetadata).not.toBe(first.flagMetadata);
  });
});
