import { ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it } from 'vitest';
import { good, watching } from '../provider/changing.fixture.js';
import { FEATURES, PRO } from './features.fixture.js';
import { openRequestView, requestContext, type FliptProviderOptions } from '../../src/index.js';
import {
  flipt,
  localService,
  open,
  recordingLogger,
  refusedAddress,
  register,
  serving,
} from '../provider/open.fixture.js';

const offline = (options: FliptProviderOptions = {}) =>
  open({ evaluation: 'in-process', watch: false, snapshot: { initial: FEATURES }, ...options });

describe('evaluation in this process', () => {
  it('sends no request for a resolve', async () => {
    const service = await localService({ features: FEATURES });
    const watch = { pollMs: 3_600_000 };
    const { client } = await open({ url: service.url, evaluation: 'in-process', watch });
    const before = service.requests;
    expect(await client.getStringDetails('colour', 'none', PRO)).toMatchObject({
      value: 'red',
      variant: 'red',
      reason: 'TARGETING_MATCH',
      flagMetadata: {
        flagSetId: 'default',
        serviceReason: 'MATCH',
        segmentKeys: 'pros',
        source: 'in-process',
        version: expect.any(String) as string,
        ageMs: expect.any(Number) as number,
      },
    });
    for (let user = 0; user < 100; user++) {
      expect(await client.getBooleanValue('banner', false, { targetingKey: `user-${user}` })).toBe(true);
    }
    expect(await client.getBooleanDetails('missing', true)).toMatchObject({
      errorCode: 'FLAG_NOT_FOUND',
      value: true,
    });
    expect(service.requests).toBe(before);
  });

  it('suggests the flag that was probably meant, also offline', async () => {
    const logger = recordingLogger();
    const { client, provider } = await offline({ logger });
    const suggested = new Promise((resolve) => {
      provider.onEvent(resolve, ['flag-key-suspect']);
    });
    await client.getBooleanValue('baner', false);
    expect(await suggested).toEqual({ type: 'flag-key-suspect', flag: 'baner', like: 'banner' });
    expect(logger.warn).toHaveBeenCalledTimes(1);
  });

  it('announces what an immediate poll finds changed, and nothing else', async () => {
    const service = await localService({ features: FEATURES });
    const { client, provider } = await open({ url: service.url, evaluation: 'in-process' });
    const changed = new Promise((resolve) => {
      client.addHandler(ProviderEvents.ConfigurationChanged, (details) => {
        resolve(details?.flagsChanged);
      });
    });
    await service.setFlag('default', 'banner', { enabled: false });
    provider.invalidate();
    expect(await changed).toEqual(['banner']);
    expect(await client.getBooleanValue('banner', true)).toBe(false);
  });

  it('shows one snapshot to all flags of a view', async () => {
    const service = await localService({ features: FEATURES });
    const { client, provider } = await open({ url: service.url, evaluation: 'in-process' });
    const view = openRequestView();
    const context = requestContext(PRO, { view });
    expect(await client.getStringValue('colour', 'none', context)).toBe('red');
    const changed = new Promise((resolve) => {
      client.addHandler(ProviderEvents.ConfigurationChanged, resolve);
    });
    await service.setFlag('default', 'banner', { enabled: false });
    provider.invalidate();
    await changed;
    expect(await client.getBooleanValue('banner', true)).toBe(false);
    expect(await client.getBooleanValue('banner', false, context)).toBe(true);
    view.ended = true;
    expect(await client.getBooleanValue('banner', true, context)).toBe(false);
  });

  it('does nothing for prefetch', async () => {
    const { provider } = await offline();
    let reads = 0;
    const context = {
      targetingKey: 'user-1',
      get plan() {
        reads++;
        return 'pro';
      },
    };
    await provider.prefetch(['colour', 'banner'], context);
    expect(reads).toBe(0);
  });

  it.each([undefined, FEATURES])(
    'is remote if the service has no snapshots, initial: %j',
    async (initial) => {
      const service = await serving(good);
      const logger = recordingLogger();
      const options = { url: service.url, evaluation: 'in-process', logger, snapshot: { initial } } as const;
      const { client, provider } = await open(options);
      const { counts } = watching(client);
      expect(await client.getStringDetails('colour', 'none', PRO)).toMatchObject({
        value: 'blue',
        reason: 'TARGETING_MATCH',
        flagMetadata: { source: 'service' },
      });
      expect(await provider.evaluateAll(PRO, ['colour'])).toMatchObject({ colour: { value: 'blue' } });
      expect(logger.warn.mock.calls).toEqual([
        [expect.stringMatching(/^There is no snapshot to evaluate from/)],
      ]);
      expect(client.providerStatus).toBe('READY');
      if (initial === undefined) return;
      await service.close();
      expect(
        await client.getStringDetails('colour', 'none', { targetingKey: 'user-3', plan: 'pro' }),
      ).toMatchObject({
        value: 'red',
        reason: 'STALE',
        flagMetadata: expect.not.objectContaining({ ageMs: expect.anything() as unknown }) as unknown,
      });
      expect(counts.PROVIDER_ERROR).toBeUndefined();
    },
  );
});

describe('attributes', () => {
  it('that no flag reads cost nothing and cannot fail', async () => {
    const { client } = await offline();
    const context = { ...PRO, when: new Date(NaN) };
    expect(await client.getStringValue('colour', 'none', context)).toBe('red');
  });

  it('that a flag reads and that cannot be sent are an INVALID_CONTEXT', async () => {
    const { client } = await offline();
    const context = { targetingKey: 'user-1', plan: new Date(NaN) };
    expect(await client.getStringDetails('colour', 'none', context)).toMatchObject({
      value: 'none',
      errorCode: 'INVALID_CONTEXT',
      errorMessage: expect.stringContaining('"plan"') as string,
    });
  });

  it('that are not sent are not read here either', async () => {
    const { client } = await offline({ attributes: { except: ['plan'] } });
    expect(await client.getStringValue('colour', 'none', PRO)).toBe('blue');
  });

  it('may lack a targetingKey only if that is allowed', async () => {
    const { client } = await offline({ targetingKey: 'required' });
    expect(await client.getBooleanDetails('banner', false)).toMatchObject({
      errorCode: 'TARGETING_KEY_MISSING',
    });
  });
});

describe('without a service to ask', () => {
  it('sends nothing, and answers as usual', async () => {
    const { client, provider } = await offline({ url: await refusedAddress() });
    expect(client.providerStatus).toBe('READY');
    expect(await client.getBooleanDetails('banner', false)).toMatchObject({ value: true, reason: 'DEFAULT' });
    expect(await client.getObjectValue('colour', {}, { targetingKey: 'user-2' })).toEqual({ rgb: '00f' });
    await provider.prefetch(['banner']);
    provider.invalidate();
  });

  it('accepts the result of getSnapshot', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, evaluation: 'in-process' });
    const initial = provider.getSnapshot();
    expect(initial).toBeDefined();
    const { client } = await offline({ snapshot: { initial } });
    expect(await client.getStringValue('colour', 'none', PRO)).toBe('red');
  });

  it('accepts it with a flag that looks like one of a features document', async () => {
    const rollouts = [{ threshold: { percentage: 100, value: true } }];
    const { client, provider } = await offline({
      snapshot: {
        initial: {
          namespace: { key: 'default' },
          flags: [
            { key: 'new', type: 'BOOLEAN_FLAG_TYPE', rollouts, variants: [] },
            {
              key: 'old',
              type: 'BOOLEAN_FLAG_TYPE',
              rollouts: rollouts.map((rollout) => ({ type: 'THRESHOLD_ROLLOUT_TYPE', ...rollout })),
            },
          ],
        },
      },
    });
    expect(await client.getBooleanValue('old', false, PRO)).toBe(true);
    expect(await client.getBooleanDetails('new', false, PRO)).toMatchObject({ errorCode: 'PARSE_ERROR' });
    expect(provider.getStatus().watch?.unreadable.count).toBe(1);
  });

  it('follows v2 for a features document with semantics v2', async () => {
    const { provider } = await offline({ snapshot: { initial: FEATURES, semantics: 'v2' } });
    expect(provider.getSnapshot()).toHaveProperty('digest');
  });

  it.each([
    [{ flags: [{ key: 'a' }, {}] }, 'flags that have keys (flags[1] has none), got an object'],
    [{ flags: ['a'] }, 'flags that have keys (flags[0] has none), got an object'],
    [{ flags: {} }, 'a snapshot or a features document, an object with a list flags, got an object'],
  ])('refuses an initial snapshot that cannot be one: %j', (initial, words) => {
    expect(() => flipt({ snapshot: { initial } })).toThrow(
      new TypeError(`FliptProvider: snapshot.initial: expected ${words}`),
    );
  });

  it('says what is wrong with an initial snapshot', async () => {
    const initial = { flags: [{ key: 'a' }, { key: 'a' }] };
    const provider = flipt({ evaluation: 'in-process', watch: false, snapshot: { initial } });
    await expect(register(provider).registered).rejects.toThrow(
      /there is no snapshot to evaluate from .*: snapshot\.initial is not used: flags\[1\]\.key: .* twice/,
    );
    expect(await provider.resolveBooleanEvaluation('a', true, {})).toMatchObject({
      value: true,
      errorMessage: expect.stringContaining('snapshot.initial is not used: flags[1].key') as string,
    });
  });

  it.each([
    ['without', {}, 1],
    ['with', { 'x-flipt-accept-server-version': '1.61.1' }, 0],
  ] as const)('warns of a snapshot of v1 that was fetched %s the header', async (_, headers, warnings) => {
    const service = await localService({
      features: {
        flags: [
          { key: 'a', variants: [{ key: 'x', default: true }], rules: [{ segment: 'me' }] },
          { key: 'b', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
        ],
        segments: [
          {
            key: 'me',
            constraints: [
              { type: 'ENTITY_ID_COMPARISON_TYPE', property: 'entityId', operator: 'eq', value: 'me' },
            ],
          },
        ],
      },
    });
    const path = '/internal/v1/evaluation/snapshot/namespace/default';
    const initial: unknown = await (await fetch(service.url + path, { headers })).json();
    const logger = recordingLogger();
    await offline({ snapshot: { initial: initial as object }, logger });
    const said = logger.warn.mock.calls.filter(([message]) =>
      /X-Flipt-Accept-Server-Version: 1/.test(String(message)),
    );
    expect(said).toHaveLength(warnings);
  });

  it('says what is wrong with a features document', async () => {
    const logger = recordingLogger();
    const provider = flipt({
      evaluation: 'in-process',
      watch: false,
      snapshot: { initial: { flags: [{ key: 'a b', type: 'BOOLEAN_FLAG_TYPE' }], segments: [] } },
      logger,
    });
    const { client, registered } = register(provider);
    await expect(registered).rejects.toThrow('there is no snapshot to evaluate from');
    expect(logger.warn).toHaveBeenCalledWith(
      expect.stringMatching(/^snapshot\.initial is not used: .*flags\[0\]\.key/s),
    );
    expect(await client.getBooleanDetails('banner', true)).toMatchObject({
      value: true,
      errorCode: 'GENERAL',
    });
  });
});
