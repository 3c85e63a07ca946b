import { describe, expect, it, vi } from 'vitest';
import { failed, type Answer, type Failure } from '../../src/model.js';
import { greeting, isRefusal, keepReaching, reach, type Reached } from '../../src/service/reach.js';
import { manualClock } from '../clock.js';
import { failedWith } from './outcomes.js';

const DOWN = failedWith('connection');
const REFUSED: Failure = { kind: 'status', status: 401, message: 'no' };

function setUp(...outcomes: Reached[]) {
  const clock = manualClock();
  const greetedAt: number[] = [];
  const greet = () => {
    const outcome = outcomes[Math.min(greetedAt.push(clock.now()), outcomes.length) - 1];
    return Promise.resolve(outcome);
  };
  return { clock, greet, greetedAt };
}

describe('greeting the service', () => {
  it('asks an empty flag key in the namespace', async () => {
    const askAtOnce = vi.fn(() => Promise.resolve<readonly Answer[]>([{ kind: 'missing' }]));
    expect(await greeting(askAtOnce, 'shop')()).toBeUndefined();
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
    expect(await greeting(() => Promise.resolve(outcome), 'x')()).toEqual(expected);
  });

  it.each([
    [401, true],
    [403, true],
    [404, false],
    [undefined, false],
  ])('takes status %s for a refusal of the credentials: %s', (status, expected) => {
    expect(isRefusal({ ...DOWN, ...(status !== undefined && { status }) })).toBe(expected);
  });
});

describe('reaching the service at the start', () => {
  it('ends with its first answer', async () => {
    const { clock, greet, greetedAt } = setUp(DOWN, DOWN, undefined);
    const { reached } = reach(greet, 5_000, clock);
    await clock.advance(300);
    expect(await reached).toBeUndefined();
    expect(greetedAt).toEqual([0, 100, 300]);
    expect(clock.timers()).toBe(0);
  });

  it('is tried again after 100 ms, doubling, until the time is up, and ends with the last failure', async () => {
    const { clock, greet, greetedAt } = setUp(DOWN);
    const { reached } = reach(greet, 5_000, clock);
    await clock.advance(5_000);
    expect(await reached).toBe(DOWN);
    expect(greetedAt).toEqual([0, 100, 300, 700, 1_500, 3_100]);
    expect(clock.timers()).toBe(0);
  });

  it('ends at once where the credentials are refused', async () => {
    const { clock, greet, greetedAt } = setUp(DOWN, REFUSED);
    const { reached } = reach(greet, 5_000, clock);
    await clock.advance(100);
    expect(await reached).toBe(REFUSED);
    expect(greetedAt).toHaveLength(2);
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
    const { clock, greet, greetedAt } = setUp(DOWN);
    const { reached, cancel } = reach(greet, 5_000, clock);
    await clock.advance(ms);
    const greeted = greetedAt.length;
    cancel(failedWith('closed'));
    expect(await reached).toEqual(failedWith('closed'));
    await clock.advance(5_000);
    expect(greetedAt).toHaveLength(greeted);
    expect(clock.timers()).toBe(0);
  });
});

describe('reaching the service in the background', () => {
  const run = (random: number, ...outcomes: Reached[]) => {
    const { clock, greet, greetedAt } = setUp(...outcomes);
    const onReached = vi.fn();
    const stop = keepReaching(greet, clock, () => random, onReached);
    return { clock, greetedAt, onReached, stop };
  };

  it('is tried after 1 s, doubling to 30 s, and does not keep the process alive', async () => {
    const { clock, greetedAt, onReached } = run(1, REFUSED);
    expect([clock.timers('background'), clock.timers('awaited')]).toEqual([1, 0]);
    await clock.advance(121_000);
    expect(greetedAt).toEqual([1, 3, 7, 15, 31, 61, 91, 121].map((seconds) => seconds * 1_000));
    expect(onReached).not.toHaveBeenCalled();
  });

  it('is tried after half of that at the earliest, by chance', async () => {
    const { clock, greetedAt } = run(0, DOWN);
    await clock.advance(1_500);
    expect(greetedAt).toEqual([500, 1_500]);
  });

  it('ends when the service answers', async () => {
    const { clock, greetedAt, onReached } = run(1, DOWN, undefined);
    await clock.advance(60_000);
    expect(greetedAt).toHaveLength(2);
    expect(onReached).toHaveBeenCalledOnce();
    expect(clock.timers()).toBe(0);
  });

  it.each([500, 1_000])('can be stopped after %s ms', async (ms) => {
    const { clock, greetedAt, onReached, stop } = run(1, DOWN);
    await clock.advance(ms);
    const greeted = greetedAt.length;
    stop();
    await clock.advance(60_000);
    expect(greetedAt).toHaveLength(greeted);
    expect(onReached).not.toHaveBeenCalled();
    expect(clock.timers()).toBe(0);
  });

  it('tells nothing that is learnt after it was stopped', async () => {
    const clock = manualClock();
    const onReached = vi.fn();
    const answers: ((reached: Reached) => void)[] = [];
    const greet = () => new Promise<Reached>((resolve) => answers.push(resolve));
    const stop = keepReaching(greet, clock, () => 1, onReached);
    await clock.advance(1_000);
    stop();
    answers[0]?.(undefined);
    await clock.settle();
    expect(onReached).not.toHaveBeenCalled();
  });
});
