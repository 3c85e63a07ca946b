import { describe, expect, it } from 'vitest';
import { failed } from '../../../src/model/answer.js';
import type { Failure } from '../../../src/model/failure.js';
import { DOWN, failure, fromCache, fromService, off, on, setUp } from './layered.fixture.js';

describe('identical questions', () => {
  it('share one request, and all get its answer', async () => {
    const { asked, resolve, answer } = setUp();
    const resolved = [resolve(), resolve(), resolve()].map((one) => Promise.resolve(one));
    expect(asked).toHaveLength(1);
    await answer(on);
    expect(await Promise.all(resolved)).toEqual([fromService(on), fromService(on), fromService(on)]);
  });

  it('share no request with other questions', async () => {
    const { asked, resolve } = setUp();
    void resolve('a');
    void resolve('b');
    expect(asked.map(({ question: { flag } }) => flag)).toEqual(['a', 'b']);
  });

  it('that fail together may try again together', async () => {
    const { asked, resolve, answer } = setUp();
    void resolve();
    await answer(failed(DOWN));
    void resolve();
    void resolve();
    expect(asked).toHaveLength(2);
  });
});

describe('a forgotten answer', () => {
  it('is asked for again', async () => {
    const { layer, asked, resolve, learn } = setUp();
    await learn(on, 'a');
    await learn(on, 'b');
    layer.forget(['a']);
    expect(resolve('a')).toBeInstanceOf(Promise);
    expect(resolve('b')).toEqual(fromCache(on, 0));
    layer.forget();
    expect(resolve('b')).toBeInstanceOf(Promise);
    expect(asked).toHaveLength(4);
  });

  it.each([[['flag']], [undefined]])(
    'while it is under way (%j) reaches its callers, but is neither kept nor joined',
    async (flags) => {
      const { layer, asked, resolve, clock } = setUp();
      const before = resolve();
      layer.forget(flags);
      const after = resolve();
      expect(asked).toHaveLength(2);
      asked[1]?.answer(off);
      await clock.settle();
      asked[0]?.answer(on);
      await clock.settle();
      expect(await before).toEqual(fromService(on));
      expect(await after).toEqual(fromService(off));
      expect(resolve()).toEqual(fromCache(off, 0));
    },
  );

  it('leaves other requests untouched', async () => {
    const { layer, asked, resolve } = setUp();
    void resolve('a');
    layer.forget(['b']);
    void resolve('a');
    expect(asked).toHaveLength(1);
  });
});

describe('at the deadline', () => {
  const LATE: Failure = { kind: 'deadline', message: 'no answer from Flipt within 200 ms (deadlineMs)' };

  it('the caller gets a failure that names it, and a later answer is kept', async () => {
    const { clock, resolve, answer } = setUp();
    const resolved = resolve();
    await clock.advance(200);
    expect(await resolved).toEqual(failure(LATE));
    await answer(on);
    expect(resolve()).toEqual(fromCache(on, 0));
  });

  it('the caller gets the last known answer, if there is one', async () => {
    const { clock, resolve, learn } = setUp();
    await learn(on);
    await clock.advance(2_000);
    const resolved = resolve();
    await clock.advance(200);
    expect(await resolved).toEqual(fromCache(on, 2_200, true));
  });

  it('a caller who joins a request gets the full time', async () => {
    const { clock, resolve, answer } = setUp();
    const first = resolve();
    await clock.advance(150);
    const second = resolve();
    await clock.advance(100);
    await answer(on);
    expect(await first).toEqual(failure(LATE));
    expect(await second).toEqual(fromService(on));
  });

  it('no timer is left if the answer came in time', async () => {
    const { clock, learn } = setUp();
    await learn(on);
    expect(clock.timers()).toBe(0);
  });
});

describe('the deadline of a question that is asked', () => {
  const deadlineOf = (asked: ReturnType<typeof setUp>['asked']) => asked.at(-1)?.deadline?.();

  it('is its caller’s deadline, and callers who join postpone it', async () => {
    const { clock, asked, resolve } = setUp();
    void resolve();
    expect(deadlineOf(asked)).toBe(200);
    await clock.advance(50);
    void resolve();
    expect(deadlineOf(asked)).toBe(250);
    expect(asked).toHaveLength(1);
  });

  it('is set for a refresh in the background, and callers who need not wait do not postpone it', async () => {
    const { clock, asked, resolve, learn } = setUp();
    await learn(on);
    await clock.advance(1_000);
    void resolve();
    expect(deadlineOf(asked)).toBe(1_200);
    await clock.advance(100);
    void resolve();
    expect(deadlineOf(asked)).toBe(1_200);
    expect(asked).toHaveLength(2);
  });
});
