import {
  ErrorCode,
  MultiProvider,
  OpenFeature,
  ProviderEvents,
  ProviderStatus,
  type Client,
  type Provider,
} from '@openfeature/server-sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import {
  answerJson,
  answering,
  item,
  itemsOf,
  orMissing,
  scriptedServer,
  type Script,
} from '../servers/scripted.js';
import { signal } from '../signal.js';
import { flipt, open, recordingLogger, refusedAddress, register, serving } from './open.js';

const good = answering(orMissing(({ flagKey }) => item.variant(flagKey, 'blue')));
const refusing: Script = (_, response) => {
  answerJson(response, { code: 16, message: 'request was not authenticated' }, 401);
};

/** A server whose script a test may change. */
async function changing(first: Script) {
  let script = first;
  const server = await serving((request, response) => script(request, response));
  return {
    server,
    become: (next: Script) => {
      script = next;
    },
  };
}

/** Counts events by their kind, and waits for one. */
function watching(client: Client) {
  const counts: Record<string, number> = {};
  for (const event of [ProviderEvents.Ready, ProviderEvents.Error, ProviderEvents.Stale]) {
    client.addHandler(event, () => {
      counts[event] = (counts[event] ?? 0) + 1;
    });
  }
  return {
    counts,
    until: (status: ProviderStatus) =>
      vi.waitFor(
        () => {
          expect(client.providerStatus).toBe(status);
        },
        { timeout: 15_000, interval: 20 },
      ),
  };
}

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

  it('sends nothing before it is registered or asked', async () => {
    const server = await serving(good);
    const provider = flipt({ url: server.url });
    expect(server.requests).toHaveLength(0);
    expect(await provider.resolveStringEvaluation('a', '', {})).toMatchObject({ value: 'blue' });
    expect(server.requests).toHaveLength(1);
    await provider.onClose();
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

  it.each<[string, Script]>([
    ['a 404', (__, response) => response.writeHead(404).end()],
    [
      "a proxy's HTML",
      (__, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    ],
    [
      'no item',
      (__, response) => {
        answerJson(response, { responses: [] });
      },
    ],
    ['a 503', (__, response) => response.writeHead(503).end()],
    ['a reset', (__, response) => response.socket?.destroy()],
  ])('it is in ERROR after %s, calls still try, and READY follows by itself', async (__, bad) => {
    const { server, become } = await changing(bad);
    const { client, registered, until, counts, logger } = start({ url: server.url, initTimeoutMs: 50 });
    await expect(registered).rejects.toThrow();
    expect(client.providerStatus).toBe(ProviderStatus.ERROR);
    const before = server.requests.length;
    expect(await client.getStringDetails('a', 'mine')).toMatchObject({ value: 'mine', reason: 'ERROR' });
    expect(server.requests.length).toBeGreaterThan(before);
    become(good);
    await until(ProviderStatus.READY);
    expect(counts[ProviderEvents.Ready]).toBe(1);
    expect(await client.getStringValue('a', 'mine')).toBe('blue');
    expect(
      logger.warn.mock.calls.filter(([words]) => /cannot be reached|does not answer/.test(String(words))),
    ).toHaveLength(1);
  });

  it('it is READY again as soon as a call succeeds', async () => {
    const { server, become } = await changing((__, response) => response.writeHead(404).end());
    const { client, registered, until } = start({ url: server.url, initTimeoutMs: 1 });
    await expect(registered).rejects.toThrow();
    become(good);
    expect(await client.getStringValue('a', 'mine')).toBe('blue');
    await until(ProviderStatus.READY);
  });

  it('credentials refused later are an ERROR that is never fatal: calls still try', async () => {
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
    expect(await client.getStringValue('a', 'mine')).toBe('blue');
    await until(ProviderStatus.READY);
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

describe('credentials that are refused at the start', () => {
  it.each([401, 403])('with %s are fatal at once, said once, and READY follows by itself', async (status) => {
    const { server, become } = await changing((_, response) => {
      answerJson(response, { code: 16, message: 'not you' }, status);
    });
    const logger = recordingLogger();
    const { client, registered } = register(
      flipt({ url: server.url, logger, auth: { token: 'dummy-token' } }),
    );
    const { counts, until } = watching(client);
    await expect(registered).rejects.toMatchObject({
      code: ErrorCode.PROVIDER_FATAL,
      message: expect.stringContaining('not you') as unknown,
    });
    expect(client.providerStatus).toBe(ProviderStatus.FATAL);
    expect(await client.getStringDetails('a', 'mine')).toMatchObject({
      value: 'mine',
      errorCode: ErrorCode.PROVIDER_FATAL,
    });
    become(good);
    await until(ProviderStatus.READY);
    expect(await client.getStringValue('a', 'mine')).toBe('blue');
    expect(counts[ProviderEvents.Ready]).toBe(1);
    expect(logger.warn.mock.calls.filter(([words]) => String(words).includes('not you'))).toHaveLength(1);
    expect(JSON.stringify([logger.warn.mock.calls, logger.error.mock.calls])).not.toContain('dummy-token');
  });
});

describe('how a failed start is told', () => {
  it.each<[string, Script, ErrorCode]>([
    ['unreachable', (_, response) => response.socket?.destroy(), ErrorCode.GENERAL],
    ['refused', refusing, ErrorCode.PROVIDER_FATAL],
  ])('%s: by one event of the provider before it rejects', async (_, script, errorCode) => {
    const server = await serving(script);
    const provider = flipt({ url: server.url, initTimeoutMs: 20 });
    const told = vi.fn();
    provider.events.addHandler(ProviderEvents.Error, told);
    await expect(provider.initialize()).rejects.toMatchObject({ code: errorCode });
    expect(told).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ errorCode }));
    await provider.onClose();
  });
});

describe('closing', () => {
  afterEach(() => OpenFeature.clearProviders());

  it('ends the sockets, may be done twice, and leaves calls with PROVIDER_NOT_READY at once', async () => {
    const server = await serving(good);
    const { provider } = await open({ url: server.url });
    await Promise.all([provider.onClose(), provider.onClose()]);
    await provider.onClose();
    await vi.waitFor(async () => {
      expect(await server.connections()).toBe(0);
    });
    const before = server.requests.length;
    expect(await provider.resolveStringEvaluation('a', 'mine', {})).toMatchObject({
      value: 'mine',
      reason: 'ERROR',
      errorCode: ErrorCode.PROVIDER_NOT_READY,
      errorMessage: 'the Flipt provider is closed',
    });
    expect(server.requests).toHaveLength(before);
    provider.invalidate();
    await provider.prefetch(['a']);
  });

  it('answers what is under way, and what waits, with PROVIDER_NOT_READY', async () => {
    const asked = signal();
    const { server, become } = await changing(good);
    const headers = vi.fn(() => ({}));
    const { provider } = await open({ url: server.url, batch: { maxConcurrent: 1 }, auth: { headers } });
    become(() => {
      asked.give();
    });
    const underWay = provider.resolveStringEvaluation('a', 'mine', {});
    await asked.given;
    const waiting = provider.resolveStringEvaluation('b', 'mine', {});
    const before = headers.mock.calls.length;
    await provider.onClose();
    for (const details of await Promise.all([underWay, waiting])) {
      expect(details).toMatchObject({ value: 'mine', errorCode: ErrorCode.PROVIDER_NOT_READY });
    }
    expect(headers, 'what waited was never got ready to be sent').toHaveBeenCalledTimes(before);
  });

  it('answers a call that waits for another attempt at once', async () => {
    const asked = signal();
    const { server, become } = await changing(good);
    const { provider } = await open({ url: server.url, deadlineMs: 60_000 });
    become((_, response) => {
      response.writeHead(503, { 'retry-after': '30' }).end();
      asked.give();
    });
    const underWay = provider.resolveStringEvaluation('a', 'mine', {});
    await asked.given;
    await provider.onClose();
    expect(await underWay).toMatchObject({ value: 'mine', reason: 'ERROR' });
  });

  it.each<[string, Script]>([
    ['while a request of the start is under way', () => undefined],
    ['while the start waits to try again', (_, response) => response.writeHead(503).end()],
  ])('%s has it end, and nothing follows', async (_, script) => {
    const asked = signal();
    const server = await serving((request, response) => {
      asked.give();
      return script(request, response);
    });
    const provider = flipt({ url: server.url, initTimeoutMs: 60_000, http: { timeoutMs: 60_000 } });
    const told = vi.fn();
    for (const event of Object.values(ProviderEvents)) provider.events.addHandler(event, told);
    const started = provider.initialize();
    started.catch(() => undefined);
    await asked.given;
    await provider.onClose();
    await expect(started).rejects.toMatchObject({ code: ErrorCode.PROVIDER_NOT_READY });
    expect(told).not.toHaveBeenCalled();
    await vi.waitFor(async () => {
      expect(await server.connections()).toBe(0);
    });
  });

  it('in an outage stops trying, and says nothing more', async () => {
    const server = await serving((_, response) => response.writeHead(503).end());
    const logger = recordingLogger();
    const { provider } = await open({ url: server.url, initTimeoutMs: 1, logger });
    await provider.onClose();
    expect(logger.warn).toHaveBeenCalledOnce();
  });

  it('may be followed by another start, with new connections and no old answers', async () => {
    const { server, become } = await changing(good);
    const { provider } = await open({ url: server.url });
    await provider.resolveStringEvaluation('a', '', {});
    await provider.onClose();
    become(answering(orMissing(({ flagKey }) => item.variant(flagKey, 'green'))));
    await provider.initialize();
    expect(await provider.resolveStringEvaluation('a', '', {})).toMatchObject({
      value: 'green',
      reason: 'TARGETING_MATCH',
    });
    await provider.onClose();
  });

  it('of OpenFeature as a whole may come first, and the same provider be registered again', async () => {
    const server = await serving(good);
    const provider = flipt({ url: server.url });
    await register(provider).registered;
    await OpenFeature.close();
    await OpenFeature.clearProviders();
    const { client, registered } = register(provider);
    await registered;
    expect(await client.getStringValue('a', '')).toBe('blue');
  });
});

describe('a service that comes back on its port', () => {
  it('is found by connections made anew', async () => {
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
    const second = await scriptedServer(good, Number(new URL(first.url).port));
    await vi.waitFor(
      async () => {
        expect(await client.getStringValue('a', 'mine')).toBe('blue');
      },
      { timeout: 15_000, interval: 50 },
    );
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
