import { expect, it, vi } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { startLocalService } from '../../src/local/index.js';

const features = {
  flags: [
    {
      key: 'half',
      type: 'BOOLEAN_FLAG_TYPE',
      enabled: false,
      rollouts: [{ threshold: { percentage: 100, value: true } }],
    },
    { key: 'plain', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
  ],
} as const;

async function warningsOf(...calls: readonly (readonly [string, Record<string, string>])[]) {
  await using service = await startLocalService({ features });
  const warn = vi.fn<(message: string) => void>();
  const logger = { error: vi.fn(), warn, info: vi.fn(), debug: vi.fn() };
  const provider = new FliptProvider({ url: service.url, logger });
  for (const [flag, context] of calls) await provider.resolveBooleanEvaluation(flag, false, context);
  await provider.onClose();
  return warn.mock.calls.map(([message]) => message);
}

it('warns once when a percentage decides without a targetingKey, and names attributes that look like one', async () => {
  expect(await warningsOf(['half', { email: 'a', plan: 'pro', userId: '7' }], ['half', { id: '8' }])).toEqual(
    [
      'flag "half" goes by a percentage, but the context has no targetingKey, so all such calls get the same value; ' +
        'the context has "userId", "email": should that be the targetingKey?',
    ],
  );
});

it('warns without a guess if no attribute looks like one', async () => {
  expect(await warningsOf(['half', { plan: 'pro' }])).toEqual([
    'flag "half" goes by a percentage, but the context has no targetingKey, so all such calls get the same value',
  ]);
});

it('does not warn with a targetingKey, or where no percentage decides', async () => {
  expect(await warningsOf(['half', { targetingKey: 'user-7' }], ['plain', { userId: '7' }])).toEqual([]);
});
