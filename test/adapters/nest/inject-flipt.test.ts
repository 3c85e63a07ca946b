import 'reflect-metadata';
import { Inject, Injectable, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OpenFeature } from '@openfeature/server-sdk';
import { afterEach, expect, it } from 'vitest';
import { FliptProvider } from '../../../src/index.js';
import { FliptModule, InjectFlipt } from '../../../src/adapters/nest/index.js';

Logger.overrideLogger(false);

const quiet = { debug: ignore, info: ignore, warn: ignore, error: ignore };
function ignore(): void {}

const unreached = (namespace: string) =>
  new FliptProvider({ url: 'http://127.0.0.1:9', namespace, initTimeoutMs: 1, logger: quiet });

afterEach(async () => {
  await OpenFeature.clearProviders();
});

it('injects the provider of each domain, by decorator and by class, into any module', async () => {
  const [one, two, three] = [unreached('one'), unreached('two'), unreached('three')];

  @Injectable()
  class Caches {
    @InjectFlipt('three') readonly third!: FliptProvider;
    constructor(
      @InjectFlipt() readonly first: FliptProvider,
      @InjectFlipt('two') readonly second: FliptProvider,
    ) {}
  }
  @Module({ providers: [Caches] })
  class FeatureModule {}

  const app = await Test.createTestingModule({
    imports: [
      FeatureModule,
      FliptModule.forRoot({ provider: one, readyTimeoutMs: 1 }),
      FliptModule.forRoot({ provider: two, domain: 'two', readyTimeoutMs: 1 }),
      FliptModule.forRootAsync({
        domain: 'three',
        useFactory: () => ({ provider: three, readyTimeoutMs: 1 }),
      }),
    ],
  }).compile();
  const caches = app.get(Caches, { strict: false });
  expect([caches.first, caches.second, caches.third]).toEqual([one, two, three]);
  expect(OpenFeature.getProvider('three')).toBe(three);
  await app.close();
});

it('gives the provider to app.get(FliptProvider), and to any module by its class', async () => {
  @Injectable()
  class Caches {
    @Inject(FliptProvider) readonly flipt!: FliptProvider;
  }
  @Module({ providers: [Caches] })
  class FeatureModule {}
  const provider = unreached('one');
  const app = await Test.createTestingModule({
    imports: [FeatureModule, FliptModule.forRoot({ provider, domain: 'shop', readyTimeoutMs: 1 })],
  }).compile();
  expect(app.get(FliptProvider)).toBe(provider);
  expect(app.get(Caches, { strict: false }).flipt).toBe(provider);
  await app.close();
});

it('refuses a factory that gives the domain', async () => {
  const useFactory = () => ({ domain: 'shop' }) as object;
  const starting = Test.createTestingModule({
    imports: [FliptModule.forRootAsync({ useFactory })],
  }).compile();
  await expect(starting).rejects.toThrow(
    'FliptModule.forRootAsync: useFactory: domain: unknown option, expected one of context, ',
  );
});
