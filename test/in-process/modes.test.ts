import { ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it } from 'vitest';
import { good, watching } from '../provider/changing.fixture.js';
import { FEATURES, PRO } from './features.fixture.js';
import { offline } from './offline.fixture.js';
import { openRequestView, requestContext } from '../../src/index.js';
import { localService, open, recordingLogger, serving } from '../provider/open.fixture.js';
import { questionsTo } from '../servers/questions-to.fixture.js';

describe('evaluation in this process', () => {
  it('sends no request for a resolve', async () => {
    const service = await localService({ features: FEATURES });
    const watch = { pollMs: 3_600_000 };
    const { client } = await open({ url: service.url, evaluation: 'in-process', watch });
    const questions = questionsTo(service);
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
    expect(questions()).toBe(0);
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

  it('that only one of many flags reads and that cannot be sent concern that flag alone', async () => {
    const { provider } = await offline();
    const context = { targetingKey: 'user-1', plan: new Date(NaN) };
    const each = await provider.evaluateEach(context, ['banner', 'colour']);
    expect(each.get('banner')).toMatchObject({ value: true });
    expect(each.get('colour')).toEqual({ type: 'failed', errorCode: 'INVALID_CONTEXT' });
    expect(Object.keys(await provider.evaluateAll(context))).toEqual(['banner']);
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
