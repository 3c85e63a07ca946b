import { ErrorCode, OpenFeature, ProviderEvents } from '@openfeature/server-sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { answering, item, orMissing, type Script } from '../servers/scripted.fixture.js';
import { signal } from '../signal.fixture.js';
import { changing, good } from './changing.fixture.js';
import { flipt, open, recordingLogger, register, serving } from './open.fixture.js';
import { eventually } from '../eventually.fixture.js';
import type { FliptProviderOptions } from '../../src/index.js';
import { living } from './status/living.fixture.js';

describe('closing', () => {
  afterEach(() => OpenFeature.clearProviders());

  it('ends the sockets, may be done twice, and leaves calls with PROVIDER_NOT_READY at once', async () => {
    const server = await serving(good);
    const { provider } = await open({ url: server.url });
    await Promise.all([provider.onClose(), provider.onClose()]);
    await provider.onClose();
    await eventually(async () => {
      expect(await server.connections()).toBe(0);
    });
    const before = server.requests.length;
    expect(await provider.resolveStringEvaluation('a', 'mine', {})).toMatchObject({
      value: 'mine',
      reason: 'ERROR',
      errorCode: ErrorCode.PROVIDER_NOT_READY,
      errorMessage: 'the Flipt provider is closed: create a new FliptProvider',
    });
    expect(server.requests).toHaveLength(before);
    provider.invalidate();
    await provider.prefetch(['a']);
  });

  it('is undone by another start, which knows nothing of what was before', async () => {
    const { server, become } = await changing(good);
    const provider = flipt({ url: server.url });
    await provider.initialize();
    expect(await provider.resolveStringEvaluation('a', 'mine', {})).toMatchObject({ value: 'blue' });
    await provider.onClose();
    become(answering(orMissing(({ flagKey }) => item.variant(flagKey, 'green'))));
    const [again] = await Promise.all([provider.initialize(), provider.initialize()]);
    expect(again).toBeUndefined();
    expect(await provider.resolveStringEvaluation('a', 'mine', {})).toMatchObject({
      value: 'green',
      reason: 'TARGETING_MATCH',
    });
    await provider.onClose();
    await eventually(async () => {
      expect(await server.connections()).toBe(0);
    });
  });

  it('ends a start, and one that follows it is another', async () => {
    const asked = signal();
    const { server, become } = await changing(() => {
      asked.give();
    });
    const provider = flipt({ url: server.url });
    const first = provider.initialize();
    await asked.given;
    const closed = provider.onClose();
    become(good);
    const second = provider.initialize();
    await expect(first).rejects.toMatchObject({ code: ErrorCode.PROVIDER_NOT_READY });
    await Promise.all([closed, second]);
    await provider.onClose();
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
  ])('%s ends the start, and nothing follows', async (_, script) => {
    const asked = signal();
    const server = await serving((request, response) => {
      asked.give();
      return script(request, response);
    });
    const provider = flipt({ url: server.url, initTimeoutMs: 60_000, http: { timeoutMs: 60_000 } });
    const heard = vi.fn();
    for (const event of Object.values(ProviderEvents)) provider.events.addHandler(event, heard);
    const started = provider.initialize();
    started.catch(() => undefined);
    await asked.given;
    await provider.onClose();
    await expect(started).rejects.toMatchObject({ code: ErrorCode.PROVIDER_NOT_READY });
    expect(heard).not.toHaveBeenCalled();
    await eventually(async () => {
      expect(await server.connections()).toBe(0);
    });
  });

  it('in an outage stops trying, and says nothing more', async () => {
    const server = await serving((_, response) => response.writeHead(503).end());
    const logger = recordingLogger();
    // Up to 10 ms, the provider would also warn about the unit.
    const { provider } = await open({ url: server.url, initTimeoutMs: 11, logger });
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

  it('is for good for OpenFeature, which does not initialize the same provider twice: calls say what to do', async () => {
    const server = await serving(good);
    const provider = flipt({ url: server.url });
    await register(provider).registered;
    await OpenFeature.close();
    const { client, registered } = register(provider);
    await registered;
    expect(await client.getStringDetails('a', 'mine')).toMatchObject({
      value: 'mine',
      errorCode: ErrorCode.PROVIDER_NOT_READY,
      errorMessage: 'the Flipt provider is closed: create a new FliptProvider',
    });
    await OpenFeature.clearProviders();
  });

  it('is said in the log, once, when OpenFeature still calls it READY and callers get defaults', async () => {
    const server = await serving(good);
    const logger = recordingLogger();
    const provider = flipt({ url: server.url, logger });
    await register(provider).registered;
    await OpenFeature.close();
    const { client, registered } = register(provider);
    await registered;
    expect(client.providerStatus).toBe('READY');
    for (const flag of ['a', 'b']) expect(await client.getStringValue(flag, 'mine')).toBe('mine');
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(
      'A flag was asked for, but the Flipt provider is closed: create a new FliptProvider; calls get defaults',
    );
  });

  it('ends with a registration after another provider: OpenFeature initializes it again', async () => {
    const server = await serving(good);
    const logger = recordingLogger();
    const provider = flipt({ url: server.url, logger });
    const { client, registered, domain } = register(provider);
    await registered;
    await OpenFeature.setProviderAndWait(domain, flipt({ url: server.url }));
    await OpenFeature.setProviderAndWait(domain, provider);
    expect(await client.getStringValue('a', '')).toBe('blue');
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it.each<[string, FliptProviderOptions]>([
    ['headers of the user that never come', { auth: { headers: () => new Promise(() => undefined) } }],
    ['a pod token', { auth: { kubernetes: true } }],
    ['a stream', { watch: { stream: true } }],
    [
      'a store that hangs',
      { snapshot: { store: { load: () => new Promise(() => undefined), save: async () => undefined } } },
    ],
    ['nothing special', { evaluation: 'in-process' }],
  ])('leaves no timer, with %s', async (_, options) => {
    const server = await serving(
      () => undefined,
      () => undefined,
    );
    const { lifecycle, clock, ended } = living({ url: server.url, initTimeoutMs: 60_000, ...options });
    const starting = lifecycle.start();
    const asking = lifecycle.current()?.evaluate('a', {});
    await clock.settle();
    await new Promise(setImmediate);
    expect(clock.timers()).toBeGreaterThan(0);
    await ended(lifecycle.close());
    await ended(Promise.all([starting, asking]));
    // A file may still be read. The clock stands still, so that no timer ends by itself.
    await eventually(() => {
      expect(clock.timers()).toBe(0);
    });
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
