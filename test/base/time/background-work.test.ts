import { describe, expect, it, vi } from 'vitest';
import { coalesced, oneAfterAnother, type Coalesced } from '../../../src/base/time/background-work.js';

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
    const failing: Coalesced<number> = coalesced(down, () => {
      begun.push(failing.underWay());
    });
    await expect(failing()).rejects.toThrow('down');
    expect(begun).toEqual([undefined]);
  });
});

it('in a line, a run waits for the one before', async () => {
  const line = oneAfterAnother();
  const order: string[] = [];
  const first = line.add(() => Promise.resolve(order.push('first')));
  const second = line.add(() => Promise.resolve(order.push('second')));
  expect(line.ended()).toBe(second);
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
});
