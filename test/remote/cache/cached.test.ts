import { describe, expect, it, vi } from 'vitest';
import { failed } from '../../../src/model/answer.js';
import type { Failure, FailureKind } from '../../../src/model/failure.js';
import { DOWN, failure, fromCache, fromService, off, on, setUp } from './layered.fixture.js';
import { question } from './questions.fixture.js';

describe('an answer', () => {
  it('comes from the service the first time, and at once from the cache while it is fresh', async () => {
    const { clock, asked, resolve, learn } = setUp();
    expect(await learn(on)).toEqual(fromService(on));
    expect(resolve()).toEqual(fromCache(on, 0));
    await clock.advance(999);
    expect(resolve()).toEqual(fromCache(on, 999));
    expect(asked).toHaveLength(1);
  });

  it('serves stale while revalidating', async () => {
    const { clock, asked, resolve, answer, learn } = setUp();
    await learn(on);
    await clock.advance(1_000);
    expect(resolve()).toEqual(fromCache(on, 1_000));
    expect(resolve()).toEqual(fromCache(on, 1_000));
    expect(asked).toHaveLength(2);
    await answer(off);
    expect(resolve()).toEqual(fromCache(off, 0));
  });

  it('is stale once its refresh has failed, until one succeeds', async () => {
    const { clock, resolve, answer, learn } = setUp();
    await learn(on);
    await clock.advance(1_000);
    expect(resolve()).toEqual(fromCache(on, 1_000));
    await answer(failed(DOWN));
    expect(resolve()).toEqual(fromCache(on, 1_000, true));
    await answer(on);
    expect(resolve()).toEqual(fromCache(on, 0));
  });

  it('is asked for again after its stale time, and served only if the service fails', async () => {
    const { clock, resolve, answer, learn } = setUp();
    await learn(on);
    await clock.advance(1_500);
    const resolved = resolve();
    expect(resolved).toBeInstanceOf(Promise);
    await answer(failed(DOWN));
    expect(await resolved).toEqual(fromCache(on, 1_500, true));
    expect(await learn(off)).toEqual(fromService(off));
  });

  it('is gone in the end, whatever happens', async () => {
    const { clock, learn, layer } = setUp();
    await learn(on);
    await clock.advance(11_499);
    expect(layer.knowsAnything()).toBe(true);
    await clock.advance(1);
    expect(layer.knowsAnything()).toBe(false);
    expect(await learn(failed(DOWN))).toEqual(failure(DOWN));
  });

  it('that is a failure is not kept', async () => {
    const { asked, learn, layer } = setUp();
    expect(await learn(failed(DOWN))).toEqual(failure(DOWN));
    expect(layer.knowsAnything()).toBe(false);
    expect(await learn(on)).toEqual(fromService(on));
    expect(asked).toHaveLength(2);
  });
});

describe('a missing flag', () => {
  it('counts as missing for a while, and then is asked again', async () => {
    const { clock, resolve, learn } = setUp();
    await learn({ kind: 'missing' });
    await clock.advance(99);
    expect(resolve()).toEqual(fromCache({ kind: 'missing' }, 99));
    await clock.advance(1);
    expect(await learn(on)).toEqual(fromService(on));
  });
});

describe('while the service must not be asked', () => {
  const OPEN: Failure = { kind: 'circuit-open', message: 'not asked' };

  it('serves fresh answers as before, older ones as stale, and fails the rest at once', async () => {
    const refusal = vi.fn<() => Failure | undefined>();
    const { clock, asked, resolve, learn } = setUp({ refusal });
    await learn(on);
    refusal.mockReturnValue(OPEN);
    expect(resolve()).toEqual(fromCache(on, 0));
    await clock.advance(1_000);
    expect(resolve()).toEqual(fromCache(on, 1_000, true));
    await clock.advance(1_000);
    expect(resolve()).toEqual(fromCache(on, 2_000, true));
    expect(resolve('other')).toEqual(failure(OPEN));
    expect(asked).toHaveLength(1);
  });
});

describe('an old answer', () => {
  it.each<[string, FailureKind, boolean]>([
    ['a 400 or 422 for the question alone', 'rejected-question', false],
    ['a 400 for its whole batch', 'rejected-request', true],
    ['a 404 for the question alone', 'not-found', true],
    ['a 500 for the question alone', 'service-error', true],
    ['a 401', 'unauthorized', true],
  ])('after %s (%s) is used: %s', async (_, kind, used) => {
    const { clock, learn } = setUp();
    await learn(on);
    await clock.advance(2_000);
    const what: Failure = { kind, message: 'no' };
    expect(await learn(failed(what))).toEqual(used ? fromCache(on, 2_000, true) : failure(what));
  });
});

describe('without a cache', () => {
  it('asks each question again, but coalesces identical ones', async () => {
    const { asked, resolve, learn, layer } = setUp({ cache: undefined });
    expect(await learn(on)).toEqual(fromService(on));
    expect(await learn(off)).toEqual(fromService(off));
    expect(layer.knowsAnything()).toBe(false);
    void resolve();
    void resolve();
    expect(asked).toHaveLength(3);
    layer.forget(['flag']);
    layer.forget();
  });

  it('returns a failure as it is', async () => {
    const { learn } = setUp({ cache: undefined });
    expect(await learn(failed(DOWN))).toEqual(failure(DOWN));
  });
});

describe('the warning about a low hit rate', () => {
  it('comes once after a thousand questions that differ in an attribute', async () => {
    const { warn, layer, answer } = setUp();
    for (let at = 0; at < 1_100; at++) {
      void layer.ask(`key-${at}`, question('flag', 'user', { request: `r-${at}` }));
      await answer(on);
    }
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('"request"'));
  });

  it.each<[string, (at: number) => string]>([
    ['many ask for the same at once', () => 'flag'],
    ['each question is asked twice', (at) => `flag-${Math.floor(at / 2)}`],
  ])('does not come if %s', async (_, flagOf) => {
    const { clock, warn, asked, resolve } = setUp();
    const resolved = Array.from({ length: 1_000 }, (__, at) => Promise.resolve(resolve(flagOf(at))));
    for (const { answer } of asked) answer(on);
    await Promise.all(resolved);
    await clock.settle();
    expect(warn).not.toHaveBeenCalled();
  });

  it('does not come from an outage', () => {
    const refusal = () => ({ kind: 'circuit-open', message: 'not asked' }) as const;
    const { warn, resolve } = setUp({ refusal });
    for (let at = 0; at < 1_100; at++) void resolve();
    expect(warn).not.toHaveBeenCalled();
  });
});
