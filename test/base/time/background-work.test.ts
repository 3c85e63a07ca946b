import { describe, expect, it, vi } from 'vitest';
import { coalesced } from '../../../src/base/time/background-work.js';

describe('work that callers share', () => {
  it('is one run for all, until it has ended', async () => {
    const run = vi.fn(() => Promise.resolve('result'));
    const shared = coalesced(run);
    const both = [shared(), shared()];
    expect(both[0]).toBe(both[1]);
    expect(shared.underWay()).toBe(both[0]);
    expect(await both[0]).toBe('result');
    expect(shared.underWay()).toBeUndefined();
    await shared();
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('can begin again when one run is said to have ended, even if it failed', async () => {
    const begun: unknown[] = [];
    const down = () => Promise.reject<number>(new Error('down'));
    const failing: ReturnType<typeof coalesced<number>> = coalesced(down, () => {
      begun.push(failing.underWay());
    });
    await expect(failing()).rejects.toThrow('down');
    expect(begun).toEqual([undefined]);
  });
});
