import { describe, expect, it } from 'vitest';
import { localService, open, untilSnapshot } from '../provider/open.fixture.js';
import { openRequestView, REQUEST_VIEW } from '../../src/index.js';
import { FEATURES, PRO } from './features.fixture.js';

const MODES = [{ evaluation: 'in-process' }, { evaluation: 'remote' }, { watch: false }] as const;
const BLUE = { type: 'variant', value: 'blue', attachment: '{"rgb":"00f"}', reason: 'DEFAULT' };

describe.each(MODES)('evaluateEach, with %o', (options) => {
  const provider = async () => {
    const service = await localService({ features: FEATURES });
    return { service, ...(await open({ url: service.url, ...options })) };
  };

  it('gives the outcome of each flag, and the same one from the cache', async () => {
    const { provider: flipt } = await provider();
    for (let time = 1; time <= 2; time++) {
      const outcomes = await flipt.evaluateEach({}, ['colour', 'banner', 'missing', 'banner']);
      expect([...outcomes]).toEqual([
        ['colour', BLUE],
        ['banner', { type: 'boolean', value: true, reason: 'DEFAULT' }],
        ['missing', { type: 'missing' }],
      ]);
    }
    expect([...(await flipt.evaluateEach(PRO, ['colour'])).values()]).toEqual([
      { type: 'variant', value: 'red', reason: 'TARGETING_MATCH' },
    ]);
  });
});

it.each(['remote', 'in-process'] as const)(
  'keeps the snapshot of a view, so that all flags agree with those that were named: %s',
  async (evaluation) => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, evaluation });
    await untilSnapshot(provider);
    const context = { ...PRO, [REQUEST_VIEW]: openRequestView() };
    await provider.evaluateEach(context, ['colour']);
    const changed = new Promise((resolve) => {
      provider.onEvent(resolve, ['flags-changed']);
    });
    await service.setFlag('default', 'banner', { enabled: false });
    provider.invalidate();
    await changed;
    expect(await provider.evaluateAll(context)).toMatchObject({ banner: { value: true } });
  },
);

it('says which flags got no answer', async () => {
  const service = await localService({ features: FEATURES });
  const { provider } = await open({ url: service.url, watch: false, http: { retries: 0 } });
  await service.close();
  const outcomes = await provider.evaluateEach({}, ['banner']);
  expect([...outcomes]).toEqual([['banner', { type: 'failed', errorCode: 'GENERAL' }]]);
});

it('takes a list, and after the first snapshot also a function', async () => {
  const service = await localService({ features: FEATURES });
  const { provider } = await open({ url: service.url, evaluation: 'in-process' });
  expect([...(await provider.evaluateEach({}, (key) => key !== 'banner')).keys()]).toEqual(['colour']);
  await expect(provider.evaluateEach({}, 'banner' as never)).rejects.toThrow(
    new TypeError('evaluateEach: expected a list of flag keys, got a string'),
  );
  const { provider: without } = await open({ url: service.url, watch: false });
  await expect(without.evaluateEach({}, () => true)).rejects.toMatchObject({ code: 'GENERAL' });
  await provider.onClose();
  await expect(provider.evaluateEach({}, [])).rejects.toMatchObject({ code: 'PROVIDER_NOT_READY' });
});

it('accepts only true and false from the function', async () => {
  const service = await localService({ features: FEATURES });
  const { provider } = await open({ url: service.url, evaluation: 'in-process' });
  const isNamed = () => Promise.resolve(false);
  await expect(provider.evaluateEach({}, isNamed as never)).rejects.toThrow(
    new TypeError('evaluateEach: expected a function that returns true or false, got a promise'),
  );
});

it('rejects for a context that cannot be used', async () => {
  const service = await localService({ features: FEATURES });
  const { provider } = await open({ url: service.url, targetingKey: 'required' });
  await expect(provider.evaluateEach({}, ['banner'])).rejects.toMatchObject({
    code: 'TARGETING_KEY_MISSING',
  });
});
