import { describe, expect, it, vi } from 'vitest';
import { withoutBackground } from '../../src/time/clock.js';
import {
  isCallersTurn,
  leftToBackground,
  oneAfterAnother,
  coalesced,
} from '../../src/time/background-work.js';
import { manualClock } from '../clock.fixture.js';

const never = new Promise<never>(() => undefined);
/** Whether the promise has settled once all others have. */
const hasEnded = async (promise: Promise<unknown>) => {
  const clock = manualClock();
  let ended = false;
  const end = () => {
    ended = true;
  };
  void promise.then(end, end);
  await clock.settle();
  return ended;
};

describe('with a background', () => {
  const clock = manualClock();

  it('callers share one run, which the signal of none of them ends', async () => {
    const run = vi.fn((signal?: AbortSignal) => Promise.resolve(signal));
    const shared = coalesced(run, clock);
    const ofCaller = new AbortController().signal;
    const both = [shared(ofCaller), shared()];
    expect(both[0]).toBe(both[1]);
    expect(shared.underWay()).toBe(both[0]);
    expect(await both[0]).toBeUndefined();
    expect([shared.outlivesCallers, shared.underWay()]).toEqual([true, undefined]);
    await shared();
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('another run can begin when one is said to have ended, even if it failed', async () => {
    const begun: unknown[] = [];
    const down = () => Promise.reject<number>(new Error('down'));
    const failing: ReturnType<typeof coalesced<number>> = coalesced(down, clock, () => {
      begun.push(failing.underWay());
    });
    await expect(failing()).rejects.toThrow('down');
    expect(begun).toEqual([undefined]);
  });

  it('a run waits for the one before, and nobody waits for its end', async () => {
    const turns = oneAfterAnother(clock);
    const order: string[] = [];
    const first = turns.add(() => Promise.resolve(order.push('first')));
    const second = turns.add(() => Promise.resolve(order.push('second')));
    expect(turns.ended()).toBe(second);
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
    expect(await hasEnded(turns.add(() => never))).toBe(false);
    expect(await hasEnded(leftToBackground(never, clock))).toBe(true);
  });

  it('a timer does what is due', () => {
    expect([-Infinity, clock.now()].map((at) => isCallersTurn(at, clock))).toEqual([false, false]);
  });
});

describe('without a background', () => {
  const clock = withoutBackground(manualClock());

  it('each caller has a run of its own, which its signal ends', async () => {
    const run = vi.fn((signal?: AbortSignal) => Promise.resolve(signal));
    const ended = vi.fn();
    const own = coalesced(run, clock, ended);
    const ofCaller = new AbortController().signal;
    const both = [own(ofCaller), own()];
    expect([own.outlivesCallers, own.underWay()]).toEqual([false, undefined]);
    expect(await Promise.all(both)).toEqual([ofCaller, undefined]);
    expect([run, ended].map(({ mock }) => mock.calls.length)).toEqual([2, 2]);
  });

  it('a run begins at once, whatever runs already, and its caller waits for its end', async () => {
    const turns = oneAfterAnother(clock);
    const run = vi.fn(() => never);
    void turns.add(run);
    expect(run).toHaveBeenCalledOnce();
    expect(await hasEnded(turns.ended())).toBe(true);
    expect(await turns.add(() => Promise.resolve('second'))).toBe('second');
    expect(await hasEnded(leftToBackground(never, clock))).toBe(false);
  });

  it('a caller does what is due', () => {
    const now = clock.now();
    expect([now, now + 1, Infinity].map((at) => isCallersTurn(at, clock))).toEqual([true, false, false]);
  });
});
