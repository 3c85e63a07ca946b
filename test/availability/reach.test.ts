import { describe, expect, it, vi } from 'vitest';
import { failed, type Answer } from '../../src/model/answer.js';
import type { Failure } from '../../src/model/failure.js';
import { healthCheck, keepReaching, reach, type Reached } from '../../src/availability/reach.js';
import { manualClock } from '../clock.fixture.js';
import { failedWith } from '../http/outcomes.fixture.js';

const DOWN = failedWith('connection');
const REFUSED: Failure = { kind: 'unauthorized', message: 'no' };

function setUp(...outcomes: Reached[]) {
  const clock = manualClock();
  const checkedAt: number[] = [];
  const check = () => {
    const outcome = outcomes[Math.min(checkedAt.push(clock.now()), outcomes.length) - 1];
    return Promise.resolve(outcome);
  };
  return { clock, check, checkedAt };
}

describe('the health check', () => {
  it('asks an empty flag key in the namespace', async () => {
    const askAtOnce = vi.fn(() => Promise.resolve<readonly Answer[]>([{ kind: 'missing' }]));
    expect(await healthCheck(askAtOnce, 'shop')()).toBeUndefined();
    expect(askAtOnce).toHaveBeenCalledExactlyOnceWith([
      { namespace: 'shop', flag: '', entity: '', attributes: {} },
    ]);
  });

  const unreadable = failedWith('unreadable');
  it.each<[string, readonly Answer[] | Failure, Reached]>([
    ['a failure of the request', DOWN, DOWN],
    ['an answer that is none', [failed(unreadable)], unreadable],
    ['that it could not evaluate the item, which is an answer', [failed(failedWith('item'))], undefined],
  ])('learns of %s', async (_, outcome, expected) => {
    expect(await healthCheck(() => Promise.resolve(outcome), 'x')()).toEqual(expected);
  });
});

describe('reaching the service at the start', () => {
  it('ends with its first answer', async () => {
    const { clock, check, checkedAt } = setUp(DOWN, DOWN, undefined);
    const { reached } = reach(check, 5_000, clock);
    await clock.advance(300);
    expect(await reached).toBeUndefined();
    expect(checkedAt).toEqual([0, 100, 300]);
    expect(clock.timers()).toBe(0);
  });

  it('is tried again after 100 ms, doubling, until the time is up, and ends with the last failure', async () => {
    const { clock, check, checkedAt } = setUp(DOWN);
    const { reached } = reach(check, 5_000, clock);
    await clock.advance(5_000);
    expect(await reached).toBe(DOWN);
    expect(checkedAt).toEqual([0, 100, 300, 700, 1_500, 3_100]);
    expect(clock.timers()).toBe(0);
  });

  it('ends at once where the credentials are refused', async () => {
    const { clock, check, checkedAt } = setUp(DOWN, REFUSED);
    const { reached } = reach(check, 5_000, clock);
    await clock.advance(100);
    expect(await reached).toBe(REFUSED);
    expect(checkedAt).toHaveLength(2);
    expect(clock.timers()).toBe(0);
  });

  it('ends in time, with words that help, where the service is silent', async () => {
    const clock = manualClock();
    const { reached } = reach(() => new Promise(() => undefined), 50, clock);
    await clock.advance(50);
    expect(await reached).toEqual({
      kind: 'timeout',
      message: 'Flipt did not answer within 50 ms (initTimeoutMs)',
    });
  });

  it.each([0, 150])('can be cancelled after %s ms, and then does nothing more', async (ms) => {
    const { clock, check, checkedAt } = setUp(DOWN);
    const { reached, cancel } = reach(check, 5_000, clock);
    await clock.advance(ms);
    const checked = checkedAt.length;
    cancel(failedWith('closed'));
    expect(await reached).toEqual(failedWith('closed'));
    await clock.advance(5_000);
    expect(checkedAt).toHaveLength(checked);
    expect(clock.timers()).toBe(0);
  });
});

describe('reaching the service in the background', () => {
  const run = (random: number, ...outcomes: Reached[]) => {
    const { clock, check, checkedAt } = setUp(...outcomes);
    const onReached = vi.fn();
    const stop = keepReaching(check, clock, () => random, onReached);
    return { clock, checkedAt, onReached, stop };
  };

  it('is tried after 1 s, doubling to 30 s, and does not keep the process alive', async () => {
    const { clock, checkedAt, onReached } = run(1, REFUSED);
    expect([clock.timers('background'), clock.timers('awaited')]).toEqual([1, 0]);
    await clock.advance(121_000);
    expect(checkedAt).toEqual([1, 3, 7, 15, 31, 61, 91, 121].map((seconds) => seconds * 1_000));
    expect(onReached).not.toHaveBeenCalled();
  });

  it('is tried after half of that at the earliest, by chance', async () => {
    const { clock, checkedAt } = run(0, DOWN);
    await clock.advance(1_500);
    expect(checkedAt).toEqual([500, 1_500]);
  });

  it('ends when the service answers', async () => {
    const { clock, checkedAt, onReached } = run(1, DOWN, undefined);
    await clock.advance(60_000);
    expect(checkedAt).toHaveLength(2);
    expect(onReached).toHaveBeenCalledOnce();
    expect(clock.timers()).toBe(0);
  });

  it.each([500, 1_000])('can be stopped after %s ms', async (ms) => {
    const { clock, checkedAt, onReached, stop } = run(1, DOWN);
    await clock.advance(ms);
    const checked = checkedAt.length;
    stop();
    await clock.advance(60_000);
    expect(checkedAt).toHaveLength(checked);
    expect(onReached).not.toHaveBeenCalled();
    expect(clock.timers()).toBe(0);
  });

  it('tells nothing that is learnt after it was stopped', async () => {
    const clock = manualClock();
    const onReached = vi.fn();
    const answers: ((reached: Reached) => void)[] = [];
    const check = () => new Promise<Reached>((resolve) => answers.push(resolve));
    const stop = keepReaching(check, clock, () => 1, onReached);
    await clock.advance(1_000);
    stop();
    answers[0]?.(undefined);
    await clock.settle();
    expect(onReached).not.toHaveBeenCalled();
  });
});
