import 'reflect-metadata';
import { EventEmitter, once } from 'node:events';
import { Inject, Injectable, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OpenFeature } from '@openfeature/server-sdk';
import { afterEach, expect, it, vi } from 'vitest';
import { FliptProvider } from '../../../src/index.js';
import { FliptModule, InjectFlipt, type FliptModuleOptions } from '../../../src/adapters/nest/index.js';

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

it.each([
  [
    undefined,
    'FliptModule: two FliptModules are registered for the default domain; remove one of them, or give each a domain of its own',
  ],
  [
    'shop',
    'FliptModule: two FliptModules are registered for the domain "shop"; remove one of them, or give each a domain of its own',
  ],
])('refuses to start with two providers for one domain (%s)', async (domain, message) => {
  const imports = [unreached('one'), unreached('two')].map((provider) =>
    FliptModule.forRoot({ provider, domain, readyTimeoutMs: 1 }),
  );
  const starting = Test.createTestingModule({ imports }).compile();
  await expect(starting).rejects.toThrow(message);
});

it('tells two modules with the same options apart: Nest 10 compares modules as JSON, and registers one of those alike', () => {
  const json = () => JSON.stringify(FliptModule.forRoot({ domain: 'shop' }));
  expect(json()).not.toBe(json());
});

it('closes the registered providers and later ones when the start is refused', async () => {
  const [shop, first, second, late] = ['shop', 'one', 'two', 'late'].map(unreached);
  const closed = [shop, first].map((provider) => vi.spyOn(provider!, 'onClose'));
  const opened = [second, late].map((provider) => vi.spyOn(provider!, 'initialize'));
  const registered = (provider: FliptProvider | undefined, domain?: string) =>
    FliptModule.forRoot({ provider, domain, readyTimeoutMs: 1 });
  const refused = new EventEmitter();
  const imports = [
    registered(shop, 'shop'),
    registered(first),
    registered(second),
    FliptModule.forRootAsync({
      domain: 'late',
      useFactory: async () => {
        await once(refused, 'refused');
        return { provider: late };
      },
    }),
  ];
  await expect(Test.createTestingModule({ imports }).compile()).rejects.toThrow(
    'two FliptModules are registered',
  );
  expect(closed.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  refused.emit('refused');
  await new Promise(setImmediate);
  expect(opened.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
});

it('refuses a factory whose domain is not the one it is injected by', async () => {
  const imports = [FliptModule.forRootAsync({ domain: 'shop', useFactory: () => ({ domain: 'other' }) })];
  const starting = Test.createTestingModule({ imports }).compile();
  await expect(starting).rejects.toThrow(
    new TypeError('FliptModule.forRootAsync: domain: useFactory returned "other", expected "shop"'),
  );
});

it.each<[string, () => FliptModuleOptions]>([
  [
    'no settings',
    () => {
      throw new Error('no settings');
    },
  ],
  ['useFactory returned "shop", expected "late"', () => ({ domain: 'shop' })],
  ['FliptModule: required: expected true or false', () => ({ required: 'yes' as never })],
])('closes the registered providers when a factory of options fails (%s)', async (message, make) => {
  const provider = unreached('one');
  const opened = new EventEmitter();
  const initialize = provider.initialize.bind(provider);
  vi.spyOn(provider, 'initialize').mockImplementation(async () => {
    opened.emit('opened');
    return initialize();
  });
  const closed = vi.spyOn(provider, 'onClose');
  const isOpen = once(opened, 'opened');
  const late = async () => {
    await isOpen;
    return make();
  };
  const imports = [
    FliptModule.forRoot({ provider, readyTimeoutMs: 1 }),
    FliptModule.forRootAsync({ domain: 'late', useFactory: late }),
  ];
  await expect(Test.createTestingModule({ imports }).compile()).rejects.toThrow(message);
  expect(closed).toHaveBeenCalledOnce();
});
