import 'reflect-metadata';
import { Logger, type DynamicModule, type INestApplication } from '@nestjs/common';
import { OpenFeatureModule } from '@openfeature/nestjs-sdk';
import { NOOP_TRANSACTION_CONTEXT_PROPAGATOR, OpenFeature } from '@openfeature/server-sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startLocalService, type LocalService } from '../../../src/local/index.js';
import { contextFactory, FliptModule, type FliptModuleOptions } from '../../../src/adapters/nest/index.js';
import { crowd } from '../../traffic/crowd.fixture.js';
import { get } from '../../traffic/listening.fixture.js';
import { FEW_USERS, USERS, whoseFeatures } from '../../traffic/whose.fixture.js';
import { adapters, started, type Asking } from './app.fixture.js';
import { flipt } from '../../provider/open.fixture.js';
import { useTurningClock } from '../../turning-clock.fixture.js';
import { questionsTo } from '../../servers/questions-to.fixture.js';

const byUser = (request: Asking) => ({ ...(request.user !== undefined && { targetingKey: request.user }) });

let service: LocalService;
let apps: INestApplication[];

// No test changes its flags.
beforeAll(async () => {
  const features = whoseFeatures(FEW_USERS, 10);
  const flags = [
    ...(features.flags ?? []),
    { key: 'no-one', type: 'BOOLEAN_FLAG_TYPE', enabled: false } as const,
    {
      key: 'premium',
      type: 'BOOLEAN_FLAG_TYPE',
      enabled: false,
      rollouts: [{ segment: { key: 'id-user-7', value: true } }],
    } as const,
  ];
  service = await startLocalService({ features: { ...features, flags } });
});
afterAll(() => service.close());

beforeEach(() => {
  apps = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await Promise.all(apps.map(async (app) => app.close()));
  await OpenFeature.clearProviders();
  OpenFeature.setTransactionContextPropagator(NOOP_TRANSACTION_CONTEXT_PROPAGATOR);
});

const provider = () => flipt({ url: service.url, watch: false });
const served = async (
  adapter: (typeof adapters)[number][1],
  ...imports: DynamicModule[]
): Promise<string> => {
  const { app, url } = await started(adapter(), imports);
  apps.push(app);
  return url;
};
const fliptModule = (options: FliptModuleOptions<Asking> = {}) =>
  FliptModule.forRoot<Asking>({ provider: provider(), context: byUser, ...options });

// Runs before all others, because each app leaves an AsyncLocalStorage that Node copies for each promise from then on.
describe('under load', () => {
  let all: LocalService;
  beforeAll(async () => {
    all = await startLocalService({ features: whoseFeatures(USERS, 10) });
  });
  afterAll(() => all.close());

  it.each(adapters)(
    'on %s, keeps the users of 200 concurrent requests apart',
    { timeout: 180_000 },
    async (_, adapter) => {
      const flags = flipt({ url: all.url, cache: { freshForMs: 50, staleForMs: 50 } });
      const prefetch = ['whose-0', 'whose-1'];
      const url = await served(adapter, sdk(false), fliptModule({ provider: flags, prefetch }));
      await crowd(USERS, async (name, round) => {
        if (round % 2 === 0) return (await get(`${url}/ten?user=${name}`)) as string[];
        const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' } as const;
        return ((await get(`${url}/?user=${name}`, post, 201)) as string[]).slice(0, 2);
      });
    },
  );
});

describe.each(adapters)('on %s', (_, adapter) => {
  const serve = (...imports: DynamicModule[]) => served(adapter, ...imports);

  it('knows the user that a guard has put on the request, in handlers and guards', async () => {
    const url = await serve(fliptModule());
    expect(await get(`${url}/?user=user-7`)).toEqual(['user-7', 'user-7']);
    expect(await get(`${url}/?user=user-8`)).toEqual(['user-8', 'user-8']);
    expect(await get(url)).toEqual(['nobody', 'nobody']);
  });

  it.each([
    ['application/json', JSON.stringify({ a: 'b'.repeat(100_000) }), { a: 'b'.repeat(100_000) }],
    ['application/x-www-form-urlencoded', 'a=b', { a: 'b' }],
  ])('knows the user of a request with a body of %s', async (type, body, read) => {
    const url = await serve(fliptModule());
    const response = await fetch(`${url}/?user=user-7`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(await response.json()).toEqual(['user-7', 'user-7', read]);
  });

  it.each<[string, (ours: DynamicModule) => DynamicModule[]]>([
    ['before, without its interceptor', (ours) => [sdk(false), ours]],
    ['behind, without its interceptor', (ours) => [ours, sdk(false)]],
    ['before, with a contextFactory', (ours) => [OpenFeatureModule.forRoot({ contextFactory }), ours]],
    ['behind, with a contextFactory', (ours) => [ours, OpenFeatureModule.forRoot({ contextFactory })]],
    ['before, with its interceptor as it is', (ours) => [OpenFeatureModule.forRoot({}), ours]],
    ['behind, with its interceptor as it is', (ours) => [ours, OpenFeatureModule.forRoot({})]],
  ])(
    'asks with the same targeting key in guard and handler, @openfeature/nestjs-sdk imported %s',
    async (_name, imports) => {
      const flags = provider();
      const asked = vi.spyOn(flags, 'resolveStringEvaluation');
      const url = await serve(...imports(fliptModule({ provider: flags })));
      expect(await get(`${url}/decorated?user=user-7`)).toEqual(['user-7', 'user-7']);
      expect(asked.mock.calls.map(([flag, , context]) => [flag, context.targetingKey])).toEqual([
        ['whose-0', 'user-7'],
        ['whose-2', 'user-7'],
        ['whose-0', 'user-7'],
      ]);
    },
  );

  it('reads ten flags one after another for a new user with one request', async () => {
    const prefetch = Array.from({ length: 10 }, (_value, index) => `whose-${index}`);
    const url = await serve(fliptModule({ prefetch: () => prefetch }));
    const questions = questionsTo(service);
    expect([await get(`${url}/ten?user=user-7`), questions()]).toEqual([prefetch.map(() => 'user-7'), 1]);
  });

  it('takes later additions to the context of a request', async () => {
    const url = await serve(fliptModule());
    expect(await get(`${url}/added?user=user-7`)).toEqual(['nobody', 'user-5', 'user-7', 'user-6']);
    expect(await get(`${url}/added?user=user-8`)).toEqual(['nobody', 'user-5', 'user-8', 'user-6']);
  });

  it.each([
    ['on', 200, ['in']],
    ['off', 404, { statusCode: 404, error: 'Not Found', message: 'Cannot GET /guarded/off' }],
    ['missing', 200, ['in']],
    ['otherwise', 403, { statusCode: 403, error: 'Forbidden', message: 'not yet' }],
    ['premium?user=user-7', 200, ['in']],
    [
      'premium?user=user-8',
      404,
      { statusCode: 404, error: 'Not Found', message: 'Cannot GET /guarded/premium?user=user-8' },
    ],
  ])('guards %s by a flag: %i', async (path, status, body) => {
    const url = await serve(fliptModule());
    const response = await fetch(`${url}/guarded/${path}`);
    expect([response.status, await response.json()]).toEqual([status, body]);
  });

  it('runs guards in the order of their decorators, from the bottom up', async () => {
    const url = await serve(fliptModule());
    const statusOf = async (path: string) => (await fetch(`${url}/ordered/${path}?user=user-7`)).status;
    expect([await statusOf('above'), await statusOf('below')]).toEqual([200, 404]);
  });

  it.each<[string, () => never, string]>([
    [
      'context throws',
      () => {
        throw new Error('no session');
      },
      'no session',
    ],
    ['context is async', () => Promise.resolve({}) as never, 'expected a function that is not async'],
    [
      'context is async and rejects',
      () => Promise.reject(new Error('no session')) as never,
      'expected a function that is not async',
    ],
    ['context gives a text', () => 'user-7' as never, 'FliptModule: context: expected an object'],
  ])('gives defaults if %s, says why, and serves on', async (_name, context, why) => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const url = await serve(
      fliptModule({ context: (request) => (request.user === 'user-7' ? byUser(request) : context()) }),
    );
    expect(await get(`${url}/?user=user-8`)).toEqual(['nobody', 'nobody']);
    expect(logged).toHaveBeenCalledWith(expect.stringContaining(why));
    expect(await get(`${url}/?user=user-7`)).toEqual(['user-7', 'user-7']);
  });

  it.each<[string, () => unknown]>([
    ['is no list', () => 'whose-0'],
    ['is async and rejects', () => Promise.reject(new Error('which?'))],
  ])('gives defaults if prefetch %s, says why, and serves on', async (_name, gives) => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const prefetch = (request: Asking) => (request.user === 'user-7' ? ['whose-0'] : (gives() as never));
    const url = await serve(fliptModule({ prefetch }));
    expect(await get(`${url}/?user=user-8`)).toEqual(['nobody', 'nobody']);
    expect(logged).toHaveBeenCalledWith(
      expect.stringContaining('FliptModule: prefetch: expected a list of flag keys'),
    );
    expect(await get(`${url}/?user=user-7`)).toEqual(['user-7', 'user-7']);
  });

  it('lets a context function ask for a flag itself', async () => {
    const asked: Promise<string>[] = [];
    const url = await serve(
      fliptModule({
        context: (request) => {
          asked.push(OpenFeature.getClient().getStringValue('whose-0', 'nobody'));
          return byUser(request);
        },
      }),
    );
    expect(await get(`${url}/?user=user-7`)).toEqual(['user-7', 'user-7']);
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['nobody']));
  });

  it('keeps two apps with different domains apart, and closes its own provider only', async () => {
    const [one, two] = [provider(), provider()];
    const [closedOne, closedTwo] = [vi.spyOn(one, 'onClose'), vi.spyOn(two, 'onClose')];
    const urls = [
      await serve(fliptModule({ provider: one, domain: 'one' })),
      await serve(fliptModule({ provider: two, domain: 'two' })),
    ];
    const guarded = (url: string) => get(`${url}/guarded/premium?user=user-7`);
    expect(await Promise.all(urls.map(guarded))).toEqual([['in'], ['in']]);
    await apps[0]?.close();
    expect([closedOne.mock.calls.length, closedTwo.mock.calls.length]).toEqual([1, 0]);
    expect(await guarded(urls[1] ?? '')).toEqual(['in']);
  });
});

describe('without a provider', () => {
  // It has the default time limits.
  useTurningClock(1);

  it('creates a provider from environment variables if it is given none', async () => {
    vi.stubEnv('FLIPT_URL', service.url);
    const anyone = () => OpenFeature.getClient().getBooleanValue('anyone', false);
    await served(adapters[0][1], FliptModule.forRoot());
    expect(OpenFeature.getClient().providerStatus).toBe('READY');
    expect(await anyone()).toBe(true);
    await apps[0]?.close();
    expect(await anyone()).toBe(false);
  });
});

function sdk(useGlobalInterceptor: boolean): DynamicModule {
  return OpenFeatureModule.forRoot({
    useGlobalInterceptor,
  });
}
