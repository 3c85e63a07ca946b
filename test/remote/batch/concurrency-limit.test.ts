import { describe, expect, it } from 'vitest';
import { afterTimeout, fullConcurrency, limitAt } from '../../../src/remote/batch/concurrency-limit.js';
import { held } from './held.fixture.js';
import { failedWith } from '../../http/outcomes.fixture.js';

const MAX = 8;
const limitsAfter = (timeouts: readonly (readonly [sentAt: number, now: number])[]) => {
  let state = fullConcurrency(MAX);
  return timeouts.map(([sentAt, now]) => {
    state = afterTimeout(state, MAX, sentAt, now);
    return limitAt(state, MAX, now);
  });
};

describe('the number of requests at once', () => {
  it('is the largest before any time-out', () => {
    expect(limitAt(fullConcurrency(MAX), MAX, 0)).toBe(MAX);
  });

  it('halves once for requests that were under way together, and never falls below one', () => {
    const together = [0, 1, 2].map((sentAt) => [sentAt, 500 + sentAt] as const);
    expect(limitsAfter(together)).toEqual([4, 4, 4]);
    const oneAfterAnother = [0, 500, 1_000, 1_500].map((sentAt) => [sentAt, sentAt + 500] as const);
    expect(limitsAfter(oneAfterAnother)).toEqual([4, 2, 1, 1]);
  });

  it('halves for a time-out, unless a request that was sent later was answered: then nothing waits for others', async () => {
    const { clock, ask, end, batches } = held({ maxConcurrent: 2 });
    const askApart = async (...flags: string[]) => {
      for (const flag of flags) {
        await ask(flag);
        await clock.advance(1);
      }
    };
    await askApart('a', 'b');
    await end('b');
    await end('a', failedWith('timeout'));
    await askApart('c', 'd');
    expect(batches()).toEqual([['c'], ['d']]);
    await end('c', failedWith('timeout'));
    await askApart('e');
    expect(batches()).toEqual([['d']]);
  });

  it('grows by one each second, up to the largest', () => {
    const state = afterTimeout(fullConcurrency(MAX), MAX, 0, 500);
    expect([500, 1_499, 1_500, 3_500, 60_000].map((now) => limitAt(state, MAX, now))).toEqual([
      4, 4, 5, 7, 8,
    ]);
  });
});
