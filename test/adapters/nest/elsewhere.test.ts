import 'reflect-metadata';
import {
  Controller,
  type CanActivate,
  type ExecutionContext,
  NotFoundException,
  type Type,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Test } from '@nestjs/testing';
import { NOOP_TRANSACTION_CONTEXT_PROPAGATOR, OpenFeature, type Provider } from '@openfeature/server-sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInTransactionContext } from '../../../src/index.js';
import { FliptModule, RequireFlag, type RequireFlagOptions } from '../../../src/adapters/nest/index.js';
import { providersOf } from '../../../src/adapters/nest/app-providers.js';
import { openRequestState } from '../../../src/adapters/nest/request-state.js';

/** Its flags are on for one user. */
const providerFor = (user: string): Provider => ({
  metadata: { name: 'one-user' },
  resolveBooleanEvaluation: async (_flag, _value, { targetingKey }) => ({ value: targetingKey === user }),
  resolveStringEvaluation: async (_flag, value) => ({ value }),
  resolveNumberEvaluation: async (_flag, value) => ({ value }),
  resolveObjectEvaluation: async (_flag, value) => ({ value }),
});

beforeEach(async () => {
  await OpenFeature.setProviderAndWait(providerFor('ada'));
  await OpenFeature.setProviderAndWait('shop', providerFor('grace'));
});

afterEach(async () => {
  await OpenFeature.clearProviders();
  OpenFeature.setTransactionContextPropagator(NOOP_TRANSACTION_CONTEXT_PROPAGATOR);
});

function guardOf(options: RequireFlagOptions = { default: true }, app?: object): CanActivate {
  @Controller()
  class Handlers {
    @RequireFlag('premium', options)
    handle(): void {}
  }
  const handler = Object.getOwnPropertyDescriptor(Handlers.prototype, 'handle')?.value as object;
  return new (Reflect.getMetadata('__guards__', handler) as Type<CanActivate>[])[0]!(app);
}

const contextOf = (type: string, ...args: unknown[]): ExecutionContext => {
  const context = new ExecutionContextHost(args);
  context.setType(type);
  return context;
};

const KINDS: readonly (readonly [string, readonly unknown[]])[] = [
  ['ws', [{ send: () => undefined }, { message: 'hello' }]],
  ['rpc', [{ pattern: 'orders' }, null]],
  ['graphql', [undefined, {}, { connection: {} }, {}]],
  ['http', []],
];

describe.each(KINDS)('@RequireFlag in %s', (type, args) => {
  const context = contextOf(type, ...args);

  it('uses the transaction context', async () => {
    const allowed = runInTransactionContext({ targetingKey: 'ada' }, async () =>
      guardOf().canActivate(context),
    );
    expect(await allowed).toBe(true);
  });

  it('says what to do if there is no context', async () => {
    await expect(guardOf().canActivate(context)).rejects.toThrow(
      "@RequireFlag('premium'): this code does not run in a request whose context is known; import FliptModule.forRoot, and await " +
        'what runs in a request; elsewhere (WebSocket, RPC, cron), call it in runInTransactionContext(context, …)',
    );
  });
});

describe.each(KINDS.slice(0, 3))('@RequireFlag in %s', (type, args) => {
  const allowed = async (user: string, options?: RequireFlagOptions) =>
    runInTransactionContext({ targetingKey: user }, async () =>
      guardOf(options).canActivate(contextOf(type, ...args)),
    );

  it('refuses with a 404 while the flag is off', async () => {
    await expect(allowed('grace')).rejects.toThrow(NotFoundException);
  });

  it('says that otherwise must not be async, whatever comes of its promise', async () => {
    const otherwise = () => Promise.reject(new Error('no page')) as never;
    await expect(allowed('grace', { default: false, otherwise })).rejects.toThrow(
      new TypeError('RequireFlag: otherwise: expected an Error, got a promise'),
    );
  });

  it('asks the provider of its domain', async () => {
    expect(await allowed('grace', { default: false, domain: 'shop' })).toBe(true);
  });

  it.each<[string, readonly (string | undefined)[], string, boolean]>([
    ['the only one', ['shop'], 'grace', true],
    ['the only one', ['shop'], 'ada', false],
    ['the default one of several', ['shop', undefined], 'ada', true],
  ])("asks the provider of the app's FliptModule, %s of %j, for %s", async (_name, domains, user, isOn) => {
    const asking = runInTransactionContext({ targetingKey: user }, async () =>
      guardOf({ default: false }, appWith(domains)).canActivate(contextOf(type, ...args)),
    );
    await (isOn ? expect(asking).resolves.toBe(true) : expect(asking).rejects.toThrow(NotFoundException));
  });

  it('refuses to choose one of two domains', async () => {
    const asking = runInTransactionContext({ targetingKey: 'ada' }, async () =>
      guardOf({ default: true }, appWith(['shop', 'office'])).canActivate(contextOf(type, ...args)),
    );
    await expect(asking).rejects.toThrow(
      '@RequireFlag(\'premium\'): domain: missing; expected one of "shop", "office", because this app has a provider for each of these',
    );
  });
});

it('gives @RequireFlag the domain of the FliptModule of its app', async () => {
  @Controller()
  class Pages {
    @RequireFlag('premium', { default: false })
    open(): string {
      return 'open';
    }
  }
  const provider = providerFor('grace');
  const module = await Test.createTestingModule({
    imports: [FliptModule.forRoot({ provider, domain: 'office' })],
    controllers: [Pages],
  }).compile();
  const guards = [...module.get(ModulesContainer).values()].flatMap(({ injectables }) => [
    ...injectables.values(),
  ]);
  const guard = guards[0]?.instance as CanActivate;
  const asked = async (targetingKey: string) =>
    runInTransactionContext({ targetingKey }, async () => guard.canActivate(contextOf('rpc')));
  expect(await asked('grace')).toBe(true);
  await expect(asked('ada')).rejects.toThrow(NotFoundException);
  await module.close();
});

/** The context that Nest passes to a guard of an app with these providers. */
function appWith(domains: readonly (string | undefined)[]): object {
  const app = {};
  for (const domain of domains) providersOf(app).claim(domain);
  return app;
}

it('@RequireFlag finds the request of GraphQL over HTTP', async () => {
  const request = {};
  const raw = { request, response: { once: () => undefined } };
  openRequestState({ request, raw }, { context: () => ({ targetingKey: 'ada' }) });
  const graphql = contextOf('graphql', undefined, {}, { req: request }, {});
  expect(await guardOf().canActivate(graphql)).toBe(true);
});
