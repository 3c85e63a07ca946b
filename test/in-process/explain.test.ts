import { ErrorCode } from '@openfeature/server-sdk';
import { describe, expect, it } from 'vitest';
import { FliptProvider, type FliptProviderOptions } from '../../src/index.js';
import { eventually } from '../eventually.fixture.js';
import { localService, open, refusedAddress } from '../provider/open.fixture.js';
import { FEATURES, PRO } from './features.fixture.js';

const offline = (options: FliptProviderOptions = {}) =>
  open({ evaluation: 'in-process', watch: false, snapshot: { initial: FEATURES }, ...options });

const seen = async (provider: FliptProvider, context: object) => {
  const { answer, steps } = await provider.explain('colour', { ...context });
  const constraints = steps.flatMap((step) =>
    step.kind === 'rule' ? step.segments.flatMap((segment) => segment.constraints) : [],
  );
  return [answer.kind === 'variant' && answer.variant, ...constraints.map((constraint) => constraint.seen)];
};

describe('provider.explain', () => {
  it.each(['remote', 'in-process'] as const)('explains a value that is evaluated %s', async (evaluation) => {
    const service = await localService({ features: FEATURES });
    const { client, provider } = await open({ url: service.url, evaluation });
    expect(await client.getStringValue('colour', 'none', PRO)).toBe('red');
    expect(await provider.explain('colour', PRO)).toEqual({
      namespace: 'default',
      flag: 'colour',
      entity: 'user-1',
      answer: {
        kind: 'variant',
        match: true,
        variant: 'red',
        attachment: '',
        reason: 'MATCH',
        segmentKeys: ['pros'],
      },
      decidedBy: { by: 'step', number: 1 },
      steps: [
        {
          kind: 'rule',
          operator: 'OR_SEGMENT_OPERATOR',
          outcome: 'applied',
          segments: [
            {
              key: 'pros',
              matched: true,
              matchType: 'ALL_MATCH_TYPE',
              constraints: [
                {
                  type: 'STRING_COMPARISON_TYPE',
                  property: 'plan',
                  operator: 'eq',
                  value: 'pro',
                  seen: 'pro',
                  matched: true,
                },
              ],
            },
          ],
          sharing: {
            bucket: expect.any(Number) as number,
            shares: [{ variant: 'red', rollout: 100, below: 1000 }],
            chosen: 0,
          },
        },
      ],
    });
  });

  it('explains a flag that does not exist, and needs no context', async () => {
    const { provider } = await offline();
    expect(await provider.explain('gone')).toEqual({
      namespace: 'default',
      flag: 'gone',
      entity: '',
      answer: { kind: 'missing' },
      decidedBy: { by: 'missing' },
      steps: [],
    });
  });

  it('explains from the newest snapshot', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, evaluation: 'in-process' });
    await service.setFlag('default', 'colour', { enabled: false });
    provider.invalidate();
    await eventually(async () => {
      expect((await provider.explain('colour', PRO)).decidedBy).toEqual({ by: 'disabled' });
    });
  });

  it('reads a context as a resolve does', async () => {
    const { provider } = await offline();
    expect(await seen(provider, { targetingKey: 'u', plan: 5 })).toEqual(['blue', '5']);
    expect(await seen(provider, { plan: null })).toEqual(['blue', undefined]);
    const { provider: sparing } = await offline({ attributes: { except: ['plan'] } });
    expect(await seen(sparing, PRO)).toEqual(['blue', undefined]);
  });

  it.each<[string, FliptProviderOptions, object, string]>([
    ['a targeting key is required', { targetingKey: 'required' }, {}, ErrorCode.TARGETING_KEY_MISSING],
    ['the context cannot be sent', {}, { at: new Date(NaN) }, ErrorCode.INVALID_CONTEXT],
  ])('rejects if %s', async (_, options, context, code) => {
    const { provider } = await offline(options);
    await expect(provider.explain('colour', { ...context })).rejects.toMatchObject({ code });
  });

  it.each<[string, FliptProviderOptions, RegExp]>([
    ['nothing is watched', { watch: false }, /^explain: there is no snapshot .* leave the watch on/],
    ['Flipt cannot be reached', {}, /^explain: there is no snapshot .* wait until it is ready/],
  ])('says what to do if there is no snapshot because %s', async (_, options, message) => {
    const { provider } = await open({ url: await refusedAddress(), initTimeoutMs: 1, ...options });
    await expect(provider.explain('colour', PRO)).rejects.toMatchObject({
      code: ErrorCode.GENERAL,
      message: expect.stringMatching(message) as string,
    });
  });

  it('says what to do before the provider is registered', async () => {
    await expect(new FliptProvider().explain('colour')).rejects.toThrow('register the provider');
  });

  it('rejects after the provider is closed, and for a key that is not a string', async () => {
    const { provider } = await offline();
    await provider.onClose();
    await expect(provider.explain('colour')).rejects.toMatchObject({ code: ErrorCode.PROVIDER_NOT_READY });
    // Callers in plain JavaScript may do this.
    const flagKey = 5 as unknown as string;
    await expect(provider.explain(flagKey)).rejects.toThrow(
      'explain: expected a flag key, which is a string',
    );
  });
});
