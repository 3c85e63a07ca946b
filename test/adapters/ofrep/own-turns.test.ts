import { afterEach, expect, it, vi } from 'vitest';
import { ofrep } from '../../../src/adapters/ofrep/index.js';
import type { FlagOutcome } from '../../../src/index.js';
import { systemClock } from '../../../src/base/time/clock.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each(['key', 'typed'] as const)(
  'lets other requests run while it writes the flags of a large namespace, values %s',
  async (values) => {
    const attachment = JSON.stringify({ text: 'a'.repeat(2_000) });
    const outcome: FlagOutcome = { type: 'variant', value: 'v', reason: 'TARGETING_MATCH', attachment };
    const keys = Array.from({ length: 1_000 }, (_, at) => `flag-${at}`);
    const handler = ofrep({
      values,
      context: () => ({ targetingKey: 'ada' }),
      flags: keys,
      provider: { evaluateEach: async () => Promise.resolve(new Map(keys.map((key) => [key, outcome]))) },
    });
    const turns = vi.spyOn(systemClock, 'endOfTurn');
    const url = 'http://app/ofrep/v1/evaluate/flags';
    const response = await handler(new Request(url, { method: 'POST', body: '{}' }));
    const text = await response.text();
    // A turn writes at most 50,000 characters, and the flag that reaches that.
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(Math.floor(text.length / 60_000));
    const { flags } = JSON.parse(text) as { flags: readonly { key: string }[] };
    expect(flags.map(({ key }) => key)).toEqual(keys);
  },
);
