import { describe, expect, it, vi } from 'vitest';
import { EVENT_TYPES } from '../../src/model/events/reporter.js';
import { failed, type Answer, type Resolution } from '../../src/model/answer.js';
import type { Failure, FailureKind } from '../../src/model/failure.js';
import type { SnapshotForAnswers } from '../../src/remote/answers.js';
import { booleanAnswer, variantAnswer } from '../provider/mapping/answers.fixture.js';
import { CACHE, DOWN, failure, fromCache, fromService, off, on, setUp } from './layered.fixture.js';
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

describe('when the service fails', () => {
  const answeredBySnapshot = (ageMs: number): Resolution => ({
    answer: off,
    source: 'in-process',
    ageMs,
    stale: true,
    version: 'one',
  });
  /** With an answer that is 2,000 ms old. */
  const failing = async (evaluated: Resolution | undefined) => {
    const snapshot: SnapshotForAnswers = {
      evaluate: () => evaluated,
      confirms: () => false,
      used: () => undefined,
      missing: () => undefined,
      sureness: () => undefined,
    };
    const { clock, learn } = setUp({ snapshot });
    await learn(on);
    await clock.advance(2_000);
    return learn(failed(DOWN));
  };

  it.each([
    [
      'the snapshot answers where it was confirmed later',
      answeredBySnapshot(1_999),
      answeredBySnapshot(1_999),
    ],
    [
      'the last known answer is used where it is younger',
      answeredBySnapshot(2_001),
      fromCache(on, 2_000, true),
    ],
    [
      'a snapshot that was never confirmed is used last',
      answeredBySnapshot(Infinity),
      fromCache(on, 2_000, true),
    ],
    ['without a snapshot, the last known answer is used', undefined, fromCache(on, 2_000, true)],
  ])('%s', async (_, evaluated, expected) => {
    expect(await failing(evaluated)).toEqual(expected);
  });
});

describe('the cache with a watch', () => {
  /** Confirms all answers with the value `on`. */
  const watched = () => {
    const sureness = { sureForMs: 1, maxAgeMs: 5_000 };
    const snapshot: SnapshotForAnswers = {
      evaluate: () => undefined,
      confirms: (_, answer) => answer === on,
      used: () => undefined,
      missing: () => undefined,
      sureness: () => sureness,
    };
    return { ...setUp({ snapshot }), sureness };
  };

  it('asks nothing while confirmed answers are fresh', async () => {
    const { clock, asked, learn, resolve } = watched();
    await learn(on);
    await clock.advance(4_999);

    expect(resolve()).toEqual(fromCache(on, 4_999));
    expect(asked).toHaveLength(1);
  });

  it('serves a confirmed answer and refreshes it when it reaches maxAgeMs', async () => {
    const { clock, asked, learn, resolve, answer } = watched();
    await learn(on);
    await clock.advance(5_000);
    expect(resolve()).toEqual(fromCache(on, 5_000));
    expect(asked).toHaveLength(2);
    await answer(on);

    expect(resolve()).toEqual(fromCache(on, 0));
  });

  it('treats an answer that lags behind the snapshot by its age', async () => {
    const { clock, asked, learn, resolve } = watched();
    await learn(off);
    await clock.advance(1_000);
    void resolve();

    expect(asked).toHaveLength(2);
  });

  it('does not keep an answer whose flag has changed while its question was in flight', async () => {
    const { asked, layer, resolve, answer } = watched();
    const resolution = resolve();
    layer.forget(['flag']);
    await answer(on);

    expect(await resolution).toEqual(fromService(on));
    void resolve();
    expect(asked).toHaveLength(2);
  });
});

it('"no such flag" is not served stale when the watch is lost: the flag may exist by now', async () => {
  const sureness = { sureForMs: 1, maxAgeMs: 60_000 };
  const snapshot: SnapshotForAnswers = {
    evaluate: () => undefined,
    confirms: () => true,
    used: () => undefined,
    missing: () => undefined,
    sureness: () => sureness,
  };
  const { clock, learn, resolve } = setUp({ snapshot });
  await learn({ kind: 'missing' });
  await clock.advance(5_000);
  expect(resolve()).toEqual(fromCache({ kind: 'missing' }, 5_000));
  sureness.sureForMs = 0;
  expect(await learn(on)).toEqual(fromService(on));
});

describe('an event loop that the app blocks', () => {
  it('makes no caller late whose question is under way', async () => {
    const { clock, resolve, answer } = setUp();
    const resolved = resolve();
    await clock.settle();
    clock.block(6_000);
    await clock.advance(0);
    await clock.advance(40);
    await answer(on);
    expect(await resolved).toEqual(fromService(on));
  });

  it('does not stop the time of a caller for good', async () => {
    const { clock, resolve } = setUp();
    const resolved = resolve();
    clock.block(6_000);
    await clock.advance(300);
    expect(await resolved).toMatchObject({ answer: { failure: { kind: 'deadline' } } });
    expect(clock.timers('awaited')).toBe(0);
  });
});

it('an answer is found under its key, whatever the key holds', async () => {
  const { layer, answer } = setUp();
  const key = '\ud83d 4:flag \u20ac \ude00';
  void layer.resolve(key, question('flag'));
  await answer(on);
  expect(layer.fresh(key)).toEqual(fromCache(on, 0));
});

describe('the limits', () => {
  const filled = async (more: Partial<typeof CACHE>, count: number) => {
    const its = setUp({ cache: { ...CACHE, freshForMs: 60_000, ...more } });
    const keep = async (key: string, isMadeUp = false, answer: Answer = booleanAnswer()) => {
      void its.layer.resolve(key, question('flag', key), isMadeUp);
      await its.answer(answer);
    };
    for (let at = 0; at < count; at++) await keep(`own-${at}`);
    const found = (prefix: string, of: number) =>
      Array.from({ length: of }, (_, at) => `${prefix}-${at}`).filter((key) => its.layer.fresh(key));
    return { ...its, keep, found };
  };

  it('push out the answer that was not used for the longest time', async () => {
    const { layer, keep, found } = await filled({ maxEntries: 3 }, 3);
    layer.fresh('own-0');
    await keep('own-3');
    expect(found('own', 4)).toEqual(['own-0', 'own-2', 'own-3']);
    expect(layer.size().entries).toBe(3);
  });

  it('count bytes', async () => {
    const { layer, keep } = await filled({ maxBytes: 10_000 }, 0);
    for (let at = 0; at < 50; at++)
      await keep(`own-${at}`, false, variantAnswer({ attachment: 'x'.repeat(1_000) }));
    expect(layer.size().bytes).toBeLessThanOrEqual(10_000);
    expect(layer.size().entries).toBeGreaterThan(4);
    await keep('huge', false, variantAnswer({ attachment: 'x'.repeat(10_000) }));
    expect(layer.fresh('huge')).toBeUndefined();
  });

  it('leave out what has a key of more than 64 kB', async () => {
    const { layer, keep } = await filled({}, 0);
    for (const length of [65_536, 65_537]) await keep('k'.repeat(length));
    expect(layer.size().entries).toBe(1);
  });

  it('leave all of the app\u2019s answers, whatever browsers make up', async () => {
    const { keep, found } = await filled({ maxEntries: 50 }, 50);
    for (let at = 0; at < 200; at++) await keep(`made-up-${at}`, true);
    expect(found('own', 50)).toHaveLength(50);
    expect(found('made-up', 200)).toEqual([195, 196, 197, 198, 199].map((at) => `made-up-${at}`));
  });

  it('let a browser refresh an answer of the app, and take no second place for it', async () => {
    const { layer, keep } = await filled({ maxEntries: 50 }, 1);
    await keep('own-0', true, on);
    expect(layer.size().entries).toBe(1);
  });
});

describe('the cache reports', () => {
  function listening() {
    const layered = setUp();
    const events: string[] = [];
    for (const type of EVENT_TYPES) layered.diagnostics.listen(type, (event) => events.push(event.type));
    return { ...layered, events };
  }

  it('a miss, callers who join it, fresh and stale hits', async () => {
    const { clock, resolve, answer, events } = listening();
    void resolve();
    void resolve();
    await answer(on);
    void resolve();
    await clock.advance(1_000);
    void resolve();
    void resolve();
    expect(events).toEqual(['miss', 'joined', 'hit', 'stale-hit', 'stale-hit']);
  });

  it('a hit, whose caller gets the answer even if a listener then forgets it', async () => {
    const { resolve, learn, layer, diagnostics } = listening();
    await learn(on);
    diagnostics.listen('hit', () => {
      layer.forget();
    });
    expect(resolve()).toEqual(fromCache(on, 0));
    expect(layer.size().entries).toBe(0);
  });
});
