import 'reflect-metadata';
import { Test } from '@nestjs/testing';
import { OpenFeature } from '@openfeature/server-sdk';
import { afterEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/base/time/clock.js';
import {
  FliptModule,
  RequireFlag,
  type FliptModuleAsyncOptions,
  type FliptModuleOptions,
  type RequireFlagOptions,
} from '../../../src/adapters/nest/index.js';

afterEach(async () => {
  vi.restoreAllMocks();
  await OpenFeature.clearProviders();
});

const starting = (options: FliptModuleOptions) =>
  Test.createTestingModule({ imports: [FliptModule.forRoot(options)] }).compile();

it.each<[unknown, string]>([
  [null, 'FliptModule: options: expected an object of options, got null'],
  [{ context: {} }, 'FliptModule: context: expected a function, got an object'],
  [{ provider: {} }, 'FliptModule: provider: expected an OpenFeature provider, got an object'],
  [{ provider: null }, 'FliptModule: provider: expected an OpenFeature provider, got null'],
  [{ domain: 7 }, 'FliptModule: domain: expected a string, got 7'],
  [{ prefetch: 'flag' }, 'FliptModule: prefetch: expected a list of flag keys or a function, got a string'],
  [{ prefetch: [7] }, 'FliptModule: prefetch: expected a list of flag keys or a function, got a list'],
  [{ readyTimeoutMs: 0 }, 'FliptModule: readyTimeoutMs: expected milliseconds >= 1, got 0'],
  [{ readyTimeoutMs: '1' }, 'FliptModule: readyTimeoutMs: expected milliseconds >= 1, got a string'],
  [
    { readyTimeoutMs: 2_147_483_648 },
    'FliptModule: readyTimeoutMs: expected milliseconds <= 2147483647, got 2147483648',
  ],
  [
    { readyTimeoutMs: Infinity },
    'FliptModule: readyTimeoutMs: expected milliseconds <= 2147483647, got Infinity',
  ],
  [{ readyTimeoutMs: NaN }, 'FliptModule: readyTimeoutMs: expected milliseconds >= 1, got NaN'],
  [{ required: 'yes' }, 'FliptModule: required: expected true or false, got a string'],
  [
    { url: 'http://localhost:8080' },
    'FliptModule: url: unknown option, expected one of context, provider, prefetch, readyTimeoutMs, required, domain',
  ],
])('forRoot refuses %o', (options, message) => {
  expect(() => FliptModule.forRoot(options as FliptModuleOptions)).toThrow(new TypeError(message));
});

it.each<[unknown, string]>([
  [undefined, 'RequireFlag: options: expected an object of options, got undefined'],
  [{}, 'RequireFlag: default: expected true or false, got undefined'],
  [{ default: 'on' }, 'RequireFlag: default: expected true or false, got a string'],
  [{ default: true, otherwise: 404 }, 'RequireFlag: otherwise: expected a function, got 404'],
  [
    { default: true, else: 1 },
    'RequireFlag: else: unknown option, expected one of default, domain, otherwise',
  ],
])('RequireFlag refuses %o where it is applied', (options, message) => {
  expect(() => RequireFlag('a', options as RequireFlagOptions)).toThrow(new TypeError(message));
});

it('RequireFlag requires the key of a flag', () => {
  expect(() => RequireFlag(undefined as never, { default: false })).toThrow(
    new TypeError('RequireFlag: flag: expected a string'),
  );
});

it.each<[unknown, string]>([
  [undefined, 'options: expected an object of options, got undefined'],
  [{}, 'useFactory: expected a function, got undefined'],
  [{ useClass: Object }, 'useFactory: expected a function, got undefined'],
  [{ useFactory: () => ({}), inject: 'CONFIG' }, 'inject: expected a list, got a string'],
  [{ useFactory: () => ({}), imports: {} }, 'imports: expected a list, got an object'],
])('forRootAsync refuses %o', (options, message) => {
  expect(() => FliptModule.forRootAsync(options as FliptModuleAsyncOptions)).toThrow(
    new TypeError(`FliptModule.forRootAsync: ${message}`),
  );
});

it('waits 10 s for the provider by default, as the doc comment says', async () => {
  // The clock stands still, so that no part of the time limit passes before its timer is set.
  const now = vi.spyOn(systemClock, 'now').mockReturnValue(0);
  const after = vi.spyOn(systemClock, 'after').mockReturnValue(() => undefined);
  const initialize = async () => new Promise(() => undefined);
  const provider = { metadata: { name: 'silent' }, initialize, resolveBooleanEvaluation: () => undefined };
  const waiting = starting({ provider: provider as never, required: true });
  await vi.waitFor(() => expect(after).toHaveBeenCalled());
  expect(after).toHaveBeenCalledExactlyOnceWith(10_000, expect.any(Function), undefined);
  now.mockReturnValue(10_000);
  after.mock.calls[0]?.[1]();
  await expect(waiting).rejects.toThrow('within 10000 ms (readyTimeoutMs)');
});
