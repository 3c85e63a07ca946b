import 'reflect-metadata';
import { Controller, type CanActivate, type ExecutionContext, NotFoundException } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { NOOP_TRANSACTION_CONTEXT_PROPAGATOR, OpenFeature, type Provider } from '@openfeature/server-sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInTransactionContext } from '../../../src/index.js';
import { RequireFlag, type RequireFlagOptions } from '../../../src/adapters/nest/index.js';

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

function guardOf(options: RequireFlagOptions = { default: true }): CanActivate {
  @Controller()
  class Handlers {
    @RequireFlag('premium', options)
    handle(): void {}
  }
  const handler = Object.getOwnPropertyDescriptor(Handlers.prototype, 'handle')?.value as object;
  return (Reflect.getMetadata('__guards__', handler) as CanActivate[])[0]!;
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
});
