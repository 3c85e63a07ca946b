import { afterEach, describe, expect, it, vi } from 'vitest';
import { FliptProvider, type FliptProviderOptions } from '../../src/index.js';
import type { FeaturesDocument, LocalService } from '../../src/local/index.js';
import { ask, evaluate } from './requests.fixture.js';
import { useServices } from './running.fixture.js';
import { eventually, PATIENT } from '../eventually.fixture.js';

const start = useServices();
const SNAPSHOT = '/internal/v1/evaluation/snapshot/namespace/default';

const flags: FeaturesDocument['flags'] = [
  {
    key: 'checkout',
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: true,
    rollouts: [{ segment: { key: 'beta', value: false } }],
  },
  {
    key: 'banner',
    enabled: true,
    variants: [{ key: 'blue', default: true }, { key: 'red' }],
    rules: [{ segment: 'beta', distributions: [{ variant: 'red', rollout: 100 }] }],
  },
  { key: 'limit', enabled: true, variants: [{ key: '10', default: true }] },
  { key: 'price', enabled: true, variants: [{ key: 'normal', attachment: { amount: 1 }, default: true }] },
  { key: 'dark', enabled: false, variants: [{ key: 'on' }, { key: 'true' }] },
];
const segments: FeaturesDocument['segments'] = [{ key: 'beta' }];

const providers: FliptProvider[] = [];
afterEach(async () => {
  await Promise.all(providers.splice(0).map((provider) => provider.onClose()));
});

async function opened(options: FliptProviderOptions): Promise<FliptProvider> {
  const logger = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const provider = new FliptProvider({ logger, ...PATIENT, ...options });
  providers.push(provider);
  await provider.initialize();
  return provider;
}

/** The values for `ada` and for everybody else. */
async function seen(provider: FliptProvider) {
  const asked = async (targetingKey: string) => {
    const context = { targetingKey };
    return [
      (await provider.resolveBooleanEvaluation('checkout', true, context)).value,
      (await provider.resolveStringEvaluation('banner', 'none', context)).value,
      (await provider.resolveNumberEvaluation('limit', 0, context)).value,
      (await provider.resolveObjectEvaluation('price', {}, context)).value,
      (await provider.resolveBooleanEvaluation('dark', false, context)).value,
    ];
  };
  return { ada: await asked('ada'), others: await asked('grace') };
}

const USUAL = [false, 'red', 10, { amount: 1 }, false];

function setAll(service: LocalService, options?: { for: string }): void {
  service.set('checkout', true, options);
  service.set('banner', 'blue', options);
  service.set('limit', 5, options);
  service.set('price', { amount: 5 }, options);
  service.set('dark', true, options);
}
const SET = [true, 'blue', 5, { amount: 5 }, true];

describe.each(['v1', 'v2'] as const)('with the rules of %s', (semantics) => {
  describe.each([
    ['asked for each time', { cache: false, watch: false }],
    ['evaluated in-process', { evaluation: 'in-process', watch: { pollMs: 100 } }],
  ] as const)('%s', (_name, options) => {
    const served = async () => {
      const service = await start({ features: { flags, segments }, semantics });
      const provider = await opened({ url: service.url, ...options });
      const poll = async () => {
        const { requests } = service;
        provider.invalidate();
        if ('evaluation' in options) await eventually(() => service.requests > requests);
      };
      return {
        service,
        see: async (expected: object) => {
          await poll();
          await eventually(async () => {
            expect(await seen(provider)).toEqual(expected);
          });
        },
      };
    };

    it('gives one entity a value, or everybody else another one, whatever the rules say, until the reset', async () => {
      const { service, see } = await served();
      await see({ ada: USUAL, others: USUAL });
      setAll(service, { for: 'ada' });
      await see({ ada: SET, others: USUAL });
      service.set('limit', 7, { for: 'ada' });
      setAll(service);
      service.set('banner', 'red', { for: 'ada' });
      await see({ ada: [true, 'red', 7, { amount: 5 }, true], others: SET });
      service.reset();
      await see({ ada: USUAL, others: USUAL });
    });
  });
});

describe('an override', () => {
  const served = async () =>
    start({
      features: [
        { flags, segments },
        { namespace: 'shop', flags, segments },
      ],
    });
  const etag = async ({ url }: LocalService) => (await ask(url, `GET ${SNAPSHOT}`)).headers.get('etag');

  it('changes the ETag of the snapshot, each one to another, and the reset restores it', async () => {
    const service = await served();
    const tags = [await etag(service)];
    const before = await ask(service.url, `GET ${SNAPSHOT}`);
    service.set('checkout', true);
    tags.push(await etag(service));
    service.set('checkout', false, { for: 'ada' });
    tags.push(await etag(service));
    expect(new Set(tags).size).toBe(3);
    expect(await etag(service)).toBe(tags[2]);
    service.reset();
    expect(await ask(service.url, `GET ${SNAPSHOT}`)).toMatchObject({ body: before.body });
    expect(await etag(service)).toBe(tags[0]);
  });

  it('is announced to clients of the stream, and so is its end', async () => {
    const service = await start({ features: { flags, segments }, semantics: 'v2' });
    const provider = await opened({ url: service.url, evaluation: 'in-process', watch: { stream: true } });
    const changes: unknown[] = [];
    provider.events.addHandler('PROVIDER_CONFIGURATION_CHANGED' as never, (details) =>
      changes.push(details?.flagsChanged),
    );
    await eventually(() => service.requests >= 2);
    service.set('limit', 5);
    await eventually(() => changes.length === 1);
    service.reset();
    await eventually(() => changes.length === 2);
    expect(changes).toEqual([['limit'], ['limit']]);
  });

  it('is of one namespace', async () => {
    const service = await served();
    service.set('limit', 5, { namespace: 'shop' });
    const asked = ['default', 'shop'].map((namespaceKey) => ({ namespaceKey, flagKey: 'limit' }));
    expect(await evaluate(service.url, asked)).toMatchObject([{ variantKey: '10' }, { variantKey: '5' }]);
  });

  it('is not visible to management, and stays when the flag itself changes', async () => {
    const service = await served();
    const { url } = service;
    const ofBanner = '/api/v1/namespaces/default/flags/banner/rules';
    const before = await ask(url, `GET ${ofBanner}`);
    service.set('banner', 'blue', { for: 'ada' });
    expect((await ask(url, `GET ${ofBanner}`)).body).toEqual(before.body);
    expect((await ask(url, 'GET /api/v1/namespaces/default/segments')).body).toMatchObject({ totalCount: 1 });
    await ask(url, 'POST /api/v1/namespaces/default/segments', { body: { key: 'ours', name: 'Ours' } });
    await ask(url, `POST ${ofBanner}`, { body: { segmentKey: 'ours', rank: 1 } });
    const asked = { flagKey: 'banner', entityId: 'ada' };
    expect(await evaluate(url, [asked])).toMatchObject([
      { variantKey: 'blue', segmentKeys: ['override for ada'] },
    ]);
    service.reset();
    expect(await evaluate(url, [asked])).toMatchObject([{ variantKey: 'red', segmentKeys: ['beta'] }]);
    expect((await ask(url, `GET ${ofBanner}`)).body).toMatchObject({ totalCount: 2 });
  });

  it('stays when features are loaded, and has no effect while its flag cannot give the value', async () => {
    const service = await served();
    const values = async () =>
      (await evaluate(service.url, [{ flagKey: 'banner' }, { flagKey: 'limit' }])).map(
        ({ variantKey, reason }) => variantKey ?? reason,
      );
    service.set('banner', 'red');
    service.set('limit', 5);
    const blueOnly = { key: 'banner', enabled: true, variants: [{ key: 'blue', default: true }] };
    await service.load({ flags: [blueOnly] });
    expect(await values()).toEqual(['blue', 'NOT_FOUND_ERROR_EVALUATION_REASON']);
    await service.load({ flags, segments });
    expect(await values()).toEqual(['red', '5']);
    service.reset();
    expect(await values()).toEqual(['red', '10']);
  });

  it('hides setFlag, whose change shows after the reset', async () => {
    const service = await start({
      features: { flags: [{ key: 'plain', type: 'BOOLEAN_FLAG_TYPE', enabled: false }] },
    });
    const isOn = async () => (await evaluate(service.url, [{ flagKey: 'plain' }]))[0]?.enabled;
    service.set('plain', false);
    await service.setFlag('default', 'plain', { enabled: true });
    expect(await isOn()).toBe(false);
    service.reset();
    expect(await isOn()).toBe(true);
  });

  it('keeps the object as it was given', async () => {
    const service = await served();
    const price = { amount: 5 };
    service.set('price', price);
    price.amount = 6;
    expect(await evaluate(service.url, [{ flagKey: 'price' }])).toMatchObject([
      { variantKey: 'override', variantAttachment: '{"amount":5}' },
    ]);
  });
});
