import { describe, expect, it, vi } from 'vitest';
import { FliptProvider } from '../../../src/index.js';
import { startLocalService } from '../../../src/local/index.js';
import { PATIENT } from '../../eventually.fixture.js';

const features = {
  flags: [
    {
      key: 'half',
      type: 'BOOLEAN_FLAG_TYPE',
      enabled: false,
      rollouts: [{ threshold: { percentage: 100, value: true } }],
    },
    { key: 'plain', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
    {
      key: 'color',
      type: 'VARIANT_FLAG_TYPE',
      enabled: true,
      variants: [{ key: 'red' }, { key: 'blue' }],
      rules: [
        { segment: 'staff', distributions: [{ variant: 'red', rollout: 100 }] },
        {
          segment: 'all',
          distributions: [
            { variant: 'red', rollout: 50 },
            { variant: 'blue', rollout: 50 },
          ],
        },
      ],
    },
  ],
  segments: [
    {
      key: 'staff',
      constraints: [{ type: 'STRING_COMPARISON_TYPE', property: 'role', operator: 'eq', value: 'staff' }],
    },
    { key: 'all' },
  ],
} as const;

async function warningsOf(...calls: readonly (readonly [string, Record<string, string>])[]) {
  await using service = await startLocalService({ features });
  const warn = vi.fn<(message: string) => void>();
  const logger = { error: vi.fn(), warn, info: vi.fn(), debug: vi.fn() };
  const provider = new FliptProvider({ url: service.url, ...PATIENT, logger });
  await provider.initialize();
  for (const [flag, context] of calls) await provider.resolveBooleanEvaluation(flag, false, context);
  await provider.onClose();
  return warn.mock.calls.map(([message]) => message);
}

it('warns once when a percentage decides without a targetingKey', async () => {
  expect(await warningsOf(['half', { plan: 'pro', userId: '7' }], ['half', { id: '8' }])).toEqual([
    expect.stringMatching(/^flag "half" depends on a percentage, but the context has no targetingKey, /),
  ]);
});

it('does not warn with a targetingKey, or if no percentage decides', async () => {
  expect(await warningsOf(['half', { targetingKey: 'user-7' }], ['plain', { userId: '7' }])).toEqual([]);
});

describe('for a variant flag, in-process', () => {
  const warnings = async (...contexts: readonly Record<string, string>[]) => {
    await using service = await startLocalService({ features });
    const warn = vi.fn<(message: string) => void>();
    const logger = { error: vi.fn(), warn, info: vi.fn(), debug: vi.fn() };
    const provider = new FliptProvider({
      url: service.url,
      ...PATIENT,
      snapshot: { initial: features },
      logger,
      evaluation: 'in-process',
    });
    await provider.initialize();
    for (const context of contexts) await provider.resolveStringEvaluation('color', 'none', context);
    await provider.onClose();
    return warn.mock.calls.map(([message]) => message);
  };

  it('warns once when a distribution decides without a targetingKey', async () => {
    expect(await warnings({ user: 'ada' }, { user: 'grace' })).toEqual([
      expect.stringMatching(/^flag "color" depends on a percentage/),
    ]);
  });

  it('does not warn with a targetingKey, or if a rule gives one variant to all of a segment', async () => {
    expect(await warnings({ targetingKey: 'ada' }, { role: 'staff' })).toEqual([]);
  });
});
