import 'reflect-metadata';
import { Injectable, Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OpenFeature, type Provider } from '@openfeature/server-sdk';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FliptProvider } from '../../../src/index.js';
import { startLocalService, type LocalService } from '../../../src/local/index.js';
import { contextFactory, FliptModule, setRequestContext } from '../../../src/adapters/nest/index.js';
import { listening, type Listening } from '../../traffic/listening.fixture.js';
import { whoseFeatures } from '../../traffic/whose.fixture.js';
import { adapters, started } from './app.fixture.js';
import { flipt } from '../../provider/open.fixture.js';

let service: LocalService;
let broken: Listening;

beforeEach(async () => {
  broken = await listening((_request, response) => void response.writeHead(500).end());
  service = await startLocalService({ features: whoseFeatures(['user-7'], 1) });
});

afterEach(async () => {
  await OpenFeature.clearProviders();
  await service.close();
  await broken.close();
});

const start = (imports: Parameters<typeof started>[1]) => started(adapters[0][1](), imports);
const anyone = () => OpenFeature.getClient().getBooleanValue('anyone', false);

it('is ready before providers that are created after it resolve flags', async () => {
  @Injectable()
  class Settings {
    readonly url = service.url;
  }
  @Module({ providers: [Settings], exports: [Settings] })
  class SettingsModule {}
  const { app } = await start([
    FliptModule.forRootAsync({
      imports: [SettingsModule],
      inject: [Settings],
      useFactory: async ({ url }: Settings) => Promise.resolve({ provider: flipt({ url }) }),
    }),
  ]);
  expect(OpenFeature.getClient().providerStatus).toBe('READY');
  expect(await anyone()).toBe(true);
  await app.close();
});

it('starts the app with defaults while the service is down', async () => {
  const provider = new FliptProvider({ url: broken.url, initTimeoutMs: 1, logger: silent });
  const { app } = await start([FliptModule.forRoot({ provider })]);
  expect(await anyone()).toBe(false);
  await app.close();
});

it('fails the start without a ready provider if required, and closes it', async () => {
  const provider = new FliptProvider({ url: broken.url, initTimeoutMs: 1, logger: silent });
  const closed = vi.spyOn(provider, 'onClose');
  await expect(start([FliptModule.forRoot({ provider, required: true })])).rejects.toThrow(
    'FliptModule: the provider is not ready: ',
  );
  expect(closed).toHaveBeenCalled();
});

it('waits no longer than readyTimeoutMs for a provider', async () => {
  const neverReady = () => providerWith({ initialize: async () => new Promise(() => undefined) });
  const { app } = await start([FliptModule.forRoot({ provider: neverReady(), readyTimeoutMs: 1 })]);
  await app.close();
  await expect(
    start([FliptModule.forRoot({ provider: neverReady(), readyTimeoutMs: 1, required: true })]),
  ).rejects.toThrow('FliptModule: the provider is not ready: it was not ready within 1 ms (readyTimeoutMs)');
});

it.each([undefined, 'shop'])(
  'starts a provider again that an earlier app has closed (domain %s)',
  async (domain) => {
    const provider = flipt({ url: service.url });
    const anyoneThere = () =>
      (domain === undefined ? OpenFeature.getClient() : OpenFeature.getClient(domain)).getBooleanValue(
        'anyone',
        false,
      );
    for (let round = 0; round < 2; round += 1) {
      const { app } = await start([FliptModule.forRoot({ provider, domain })]);
      expect(await anyoneThere()).toBe(true);
      await app.close();
      expect(await anyoneThere()).toBe(false);
    }
  },
);

it.each([
  ['the same domain', undefined],
  ['different domains', 'shop'],
])('keeps a provider open while another app uses it, for %s', async (_name, domain) => {
  const provider = flipt({ url: service.url });
  const one = await start([FliptModule.forRoot({ provider, domain })]);
  const two = await start([FliptModule.forRoot({ provider })]);
  await one.app.close();
  await one.app.close();
  expect(await anyone()).toBe(true);
  await two.app.close();
  expect(await anyone()).toBe(false);
});

it('keeps a provider open for another app when a start fails', async () => {
  const onClose = vi.fn(async () => Promise.resolve());
  const initialize = vi.fn(async () => rejecting(new Error('not today')));
  const provider = providerWith({ initialize, onClose });
  const { app } = await start([FliptModule.forRoot({ provider })]);
  await expect(start([FliptModule.forRoot({ provider, required: true })])).rejects.toThrow(
    'FliptModule: the provider is not ready: ',
  );
  expect(onClose).not.toHaveBeenCalled();
  // OpenFeature starts a provider once.
  expect(initialize).toHaveBeenCalledOnce();
  await app.close();
  expect(onClose).toHaveBeenCalledOnce();
});

it('registers any provider, even one without initialize and onClose', async () => {
  const provider = providerWith({ resolveBooleanEvaluation: () => Promise.resolve({ value: true }) });
  const { app } = await start([FliptModule.forRoot({ provider })]);
  expect(await anyone()).toBe(true);
  await app.close();
  const again = await start([FliptModule.forRoot({ provider })]);
  expect(await anyone()).toBe(true);
  await again.app.close();
});

it('serves an application without HTTP', async () => {
  @Module({
    imports: [FliptModule.forRoot({ provider: flipt({ url: service.url }) })],
  })
  class Worker {}
  const app: INestApplicationContext = await NestFactory.createApplicationContext(Worker);
  expect(await anyone()).toBe(true);
  await app.close();
  expect(await anyone()).toBe(false);
});

it('starts with defaults whatever the provider rejects with', async () => {
  const provider = providerWith({ initialize: async () => rejecting('no word') });
  const { app } = await start([FliptModule.forRoot({ provider })]);
  expect(await anyone()).toBe(false);
  await app.close();
});

it('reports a missing request', async () => {
  expect(() => {
    setRequestContext({ plan: 'pro' });
  }).toThrow('setRequestContext: this code does not run in a request');
  expect(() => {
    setRequestContext('user-5' as never);
  }).toThrow(
    new TypeError('setRequestContext: expected an object such as { targetingKey: … }, got a string'),
  );
  expect(contextFactory()).toEqual({});
});

const silent = { debug: quiet, info: quiet, warn: quiet, error: quiet };
function quiet(): void {}

function rejecting(reason: unknown): never {
  throw reason;
}

function providerWith(parts: Partial<Provider>): Provider {
  // The smallest provider. The SDK's own in-memory provider differs from version to version.
  const answer = <T>(value: T) => Promise.resolve({ value });
  return {
    metadata: { name: 'least' },
    resolveBooleanEvaluation: (_, value) => answer(value),
    resolveStringEvaluation: (_, value) => answer(value),
    resolveNumberEvaluation: (_, value) => answer(value),
    resolveObjectEvaluation: (_, value) => answer(value),
    ...parts,
  };
}
