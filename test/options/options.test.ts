import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FliptProviderOptions } from '../../src/options/provider-options.js';
import { makeCertificate } from '../faults/certificate.fixture.js';
import { settled } from './settled.fixture.js';

const logger = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
afterEach(() => {
  logger.warn.mockClear();
});

describe('without options', () => {
  it('all have their defaults', () => {
    expect(settled(undefined)).toMatchObject({
      url: 'http://localhost:8080',
      namespace: 'default',
      headers: {},
      targetingKey: 'optional',
      initTimeoutMs: 5_000,
      deadlineMs: 1_000,
      cache: {
        freshForMs: 15_000,
        staleForMs: 15_000,
        staleOnErrorForMs: 3_600_000,
        negativeForMs: 5_000,
        maxEntries: 10_000,
        maxBytes: 33_554_432,
      },
      batch: { maxItems: 50, maxBytes: 1_048_576, maxConcurrent: 8, maxWaiting: 10_000 },
      http: { timeoutMs: 500, retries: 2 },
      breaker: { failures: 3, openForMs: 5_000, maxOpenForMs: 10_000 },
      watch: { pollMs: 15_000, stream: false, maxAgeMs: 600_000 },
    });
  });

  it('an option that is undefined is not set', () => {
    const { cache, batch, breaker, watch, ...rest } = settled({});
    expect(
      settled({
        url: undefined,
        namespace: undefined,
        auth: undefined,
        attributes: undefined,
        cache: { freshForMs: undefined },
        batch: { maxItems: undefined },
        breaker: { failures: undefined },
        watch: { stream: undefined },
        http: { timeoutMs: undefined, retries: undefined },
        logger: undefined,
      }),
    ).toMatchObject({ cache, batch, breaker, watch, url: rest.url, namespace: 'default', http: rest.http });
    expect(settled({ namespace: undefined }, { FLIPT_NAMESPACE: 'shop' }).namespace).toBe('shop');
  });

  it('true means the defaults', () => {
    const { cache, batch, breaker, watch } = settled({});
    expect(settled({ cache: true, batch: true, breaker: true, watch: true })).toMatchObject({
      cache,
      batch,
      breaker,
      watch,
    });
  });

  it('warnings and errors go to the console, and nothing else', () => {
    const console_ = { error: vi.spyOn(console, 'error'), warn: vi.spyOn(console, 'warn') };
    for (const spy of Object.values(console_)) spy.mockImplementation(() => undefined);
    const quiet = vi.spyOn(console, 'info');
    const { logger: toConsole } = settled({});
    for (const level of ['error', 'warn', 'info', 'debug'] as const) toConsole[level](level, 1);
    const sender = '[openfeature-flipt-provider]';
    expect(console_.error).toHaveBeenCalledExactlyOnceWith(sender, 'error', 1);
    expect(console_.warn).toHaveBeenCalledExactlyOnceWith(sender, 'warn', 1);
    expect(quiet).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

const OPTIONS: readonly (readonly [keyof FliptProviderOptions, unknown, unknown?])[] = [
  ['url', 'https://flipt.test/base/', 'https://flipt.test/base'],
  ['url', 'http://[::1]:8080'],
  ['url', new URL('https://flipt.test/base/'), 'https://flipt.test/base'],
  ['namespace', 'shop'],
  ['environment', 'staging'],
  ['reference', 'main'],
  ['auth', { token: 'dummy-token' }],
  ['auth', { jwt: 'dummy.jwt' }],
  ['auth', { tokenFile: '/run/token' }],
  ['auth', { kubernetes: true }],
  ['auth', { kubernetes: { tokenPath: '/run/token' } }],
  ['auth', { token: 'dummy-token', jwt: undefined }, { token: 'dummy-token' }],
  ['headers', { 'x-team': 'checkout', 'x-empty': '' }],
  ['headers', { 'X-Team': 'checkout', Host: 'flipt.test' }, { 'x-team': 'checkout', host: 'flipt.test' }],
  ['targetingKey', 'required'],
  ['attributes', { only: ['plan'] }],
  ['attributes', { except: [] }],
  ['attributes', { only: undefined, except: ['plan'] }, { except: ['plan'] }],
  ['initTimeoutMs', 1],
  ['deadlineMs', 2_147_483_647],
  ['deadlineMs', 0.5e3],
  ['cache', false, undefined],
  ['breaker', false, undefined],
  ['watch', false, undefined],
  ['watch', { pollMs: 100, stream: true, maxAgeMs: 0 }],
];

describe('an option', () => {
  it.each(OPTIONS.map(([name, given, expected]) => [name, given, expected] as const))(
    '%s may be %j',
    (...[name, given, expected]) => {
      expect(settled({ [name]: given })[name]).toStrictEqual(
        given === false ? undefined : (expected ?? given),
      );
    },
  );

  it('watch is off with a reference: a snapshot is always of the newest revision', () => {
    expect(settled({ reference: 'main' }).watch).toBeUndefined();
    expect(settled({}, { FLIPT_REFERENCE: 'main' }).watch).toBeUndefined();
  });

  it.each([
    [undefined, []],
    [false, []],
    [{}, [expect.stringContaining('with a reference, nothing is watched')]],
    [true, [expect.stringContaining('with a reference, nothing is watched')]],
    [{ stream: true }, [expect.stringContaining('with a reference, nothing is watched')]],
  ])('watch: %j with a reference says what has no effect', (watch, warnings) => {
    settled({ watch, logger });
    settled({ watch, logger }, { FLIPT_REFERENCE: 'main' });
    expect(logger.warn.mock.calls.flat()).toEqual(warnings);
  });

  it('of a group leaves the others of the group as they are', () => {
    expect(settled({ cache: { freshForMs: 0 } }).cache).toMatchObject({ freshForMs: 0, staleForMs: 15_000 });
    expect(settled({ batch: { maxItems: 1 } }).batch).toMatchObject({ maxItems: 1, maxConcurrent: 8 });
    expect(settled({ http: { retries: 0 } }).http).toMatchObject({ timeoutMs: 500, retries: 0 });
  });

  it('batch: false makes each question a request of its own', () => {
    expect(settled({ batch: false }).batch).toMatchObject({ maxItems: 1, maxConcurrent: 8 });
  });

  it('http takes a dispatcher, or a proxy, tls and a socket', () => {
    const dispatcher = { request: () => Promise.reject(new Error('unused')) };
    const { cert, key } = makeCertificate({ name: 'client' });
    const both = cert + key;
    expect(settled({ http: { dispatcher } }).http.dispatcher).toBe(dispatcher);
    expect(settled({ http: { proxy: 'http://proxy.test:3128' } }).http.proxy?.host).toBe('proxy.test:3128');
    for (const http of [
      {
        tls: { ca: [cert, Buffer.from(cert)], cert, key: Buffer.from(key), servername: 'a.test' },
      },
      { tls: { cert: both, key: both } },
      { tls: { ca: cert }, socketPath: '/run/flipt.sock' },
    ]) {
      expect(settled({ http }).http).toMatchObject(http);
    }
  });

  it('a socket needs no proxy, whatever the environment says of proxies', () => {
    const { http } = settled(
      { http: { proxy: 'env', socketPath: '/run/flipt.sock' } },
      { HTTP_PROXY: 'http://proxy.test:3128', ALL_PROXY: 'socks5://proxy.test:1080' },
    );
    expect(http).toMatchObject({ socketPath: '/run/flipt.sock', proxy: undefined });
  });

  it('logger gets what is logged, and may throw', () => {
    const { logger: given } = settled({ logger });
    given.warn('words', 1);
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith('words', 1);
    logger.error.mockImplementation(() => {
      throw new Error('defect');
    });
    expect(() => {
      given.error('words');
    }).not.toThrow();
  });
});
