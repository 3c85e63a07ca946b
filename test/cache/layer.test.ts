import { describe, expect, it, vi } from 'vitest';
import { cached, type CacheSettings } from '../../src/cache/layer.js';
import { failed, type Answer, type Failure, type Told } from '../../src/model.js';
import { manualClock } from '../clock.js';
import { booleanAnswer } from '../mapping/answers.js';
import { askedByHand, question } from './questions.js';

const CACHE = {
  freshForMs: 1_000,
  staleForMs: 500,
  staleOnErrorForMs: 10_000,
  negativeForMs: 100,
  maxEntries: 100,
  maxBytes: 1024 * 1024,
};
const on = booleanAnswer({ enabled: true });
const off = booleanAnswer({ enabled: false });
const DOWN: Failure = { kind: 'connection', message: 'refused' };

/** The layer over answers given by hand. `ask` looks as the provider does: for what is fresh, then for the rest. */
function setUp(more: Partial<CacheSettings> = {}) {
  const clock = manualClock();
  const { ask, asked } = askedByHand();
  const warn = vi.fn<(message: string) => void>();
  const layer = cached(
    ask,
    { cache: CACHE, deadlineMs: 200, refusal: () => undefined, warn, ...more },
    clock,
  );
  const tell = (flag = 'flag') => layer.fresh(flag) ?? layer.ask(flag, question(flag));
  const answer = async (what: Answer) => {
    asked.at(-1)?.answer(what);
    await clock.settle();
  };
  /** Asks, and has the answer at once. */
  const learn = async (what: Answer, flag = 'flag') => {
    const told = tell(flag);
    await answer(what);
    return told;
  };
  return { clock, asked, warn, layer, tell, answer, learn };
}

const fromService = (answer: Answer): Told => ({ answer, source: 'service', ageMs: 0, stale: false });
const fromCache = (answer: Answer, ageMs: number, stale = false): Told => ({
  answer,
  source: 'cache',
  ageMs,
  stale,
});
const failure = (what: Failure): Told => fromService(failed(what));

describe('an answer', () => {
  it('comes from the service the first time, and at once from the cache while it is fresh', async () => {
    const { clock, asked, tell, learn } = setUp();
    expect(await learn(on)).toEqual(fromService(on));
    expect(tell()).toEqual(fromCache(on, 0));
    await clock.advance(999);
    expect(tell()).toEqual(fromCache(on, 999));
    expect(asked).toHaveLength(1);
  });

  it('past its freshness is told at once, while one refresh goes out behind it', async () => {
    const { clock, asked, tell, answer, learn } = setUp();
    await learn(on);
    await clock.advance(1_000);
    expect(tell()).toEqual(fromCache(on, 1_000));
    expect(tell()).toEqual(fromCache(on, 1_000));
    expect(asked).toHaveLength(2);
    await answer(off);
    expect(tell()).toEqual(fromCache(off, 0));
  });

  it('is stale once its refresh has failed, until one succeeds', async () => {
    const { clock, tell, answer, learn } = setUp();
    await learn(on);
    await clock.advance(1_000);
    expect(tell()).toEqual(fromCache(on, 1_000));
    await answer(failed(DOWN));
    expect(tell()).toEqual(fromCache(on, 1_000, true));
    await answer(on);
    expect(tell()).toEqual(fromCache(on, 0));
  });

  it('past its staleness is asked anew, and told only if the service fails', async () => {
    const { clock, tell, answer, learn } = setUp();
    await learn(on);
    await clock.advance(1_500);
    const told = tell();
    expect(told).toBeInstanceOf(Promise);
    await answer(failed(DOWN));
    expect(await told).toEqual(fromCache(on, 1_500, true));
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
  it('is taken to be missing for a while, and then is asked anew', async () => {
    const { clock, tell, learn } = setUp();
    await learn({ kind: 'missing' });
    await clock.advance(99);
    expect(tell()).toEqual(fromCache({ kind: 'missing' }, 99));
    await clock.advance(1);
    expect(await learn(on)).toEqual(fromService(on));
  });
});

describe('questions alike', () => {
  it('share one flight, and all have its answer', async () => {
    const { asked, tell, answer } = setUp();
    const told = [tell(), tell(), tell()].map((one) => Promise.resolve(one));
    expect(asked).toHaveLength(1);
    await answer(on);
    expect(await Promise.all(told)).toEqual([fromService(on), fromService(on), fromService(on)]);
  });

  it('share no flight with other questions', async () => {
    const { asked, tell } = setUp();
    void tell('a');
    void tell('b');
    expect(asked.map(({ question: { flag } }) => flag)).toEqual(['a', 'b']);
  });

  it('that fail together may try again together', async () => {
    const { asked, tell, answer } = setUp();
    void tell();
    await answer(failed(DOWN));
    void tell();
    void tell();
    expect(asked).toHaveLength(2);
  });
});

describe('what is forgotten', () => {
  it('is asked anew', async () => {
    const { layer, asked, tell, learn } = setUp();
    await learn(on, 'a');
    await learn(on, 'b');
    layer.forget(['a']);
    expect(tell('a')).toBeInstanceOf(Promise);
    expect(tell('b')).toEqual(fromCache(on, 0));
    layer.forget();
    expect(tell('b')).toBeInstanceOf(Promise);
    expect(asked).toHaveLength(4);
  });

  it.each([[['flag']], [undefined]])(
    'while it is on its way (%j) is told to those who wait, but not kept, nor joined',
    async (flags) => {
      const { layer, asked, tell, clock } = setUp();
      const before = tell();
      layer.forget(flags);
      const after = tell();
      expect(asked).toHaveLength(2);
      asked[1]?.answer(off);
      await clock.settle();
      asked[0]?.answer(on);
      await clock.settle();
      expect(await before).toEqual(fromService(on));
      expect(await after).toEqual(fromService(off));
      expect(tell()).toEqual(fromCache(off, 0));
    },
  );

  it('leaves other flights alone', async () => {
    const { layer, asked, tell } = setUp();
    void tell('a');
    layer.forget(['b']);
    void tell('a');
    expect(asked).toHaveLength(1);
  });
});

describe('at the deadline', () => {
  const LATE: Failure = { kind: 'deadline', message: 'no answer from Flipt within 200 ms (deadlineMs)' };

  it('the caller has a failure that names it, and what comes later is kept', async () => {
    const { clock, tell, answer } = setUp();
    const told = tell();
    await clock.advance(200);
    expect(await told).toEqual(failure(LATE));
    await answer(on);
    expect(tell()).toEqual(fromCache(on, 0));
  });

  it('the caller has the last known answer, if there is one', async () => {
    const { clock, tell, learn } = setUp();
    await learn(on);
    await clock.advance(2_000);
    const told = tell();
    await clock.advance(200);
    expect(await told).toEqual(fromCache(on, 2_200, true));
  });

  it('who joins a flight has all of a time of their own', async () => {
    const { clock, tell, answer } = setUp();
    const first = tell();
    await clock.advance(150);
    const second = tell();
    await clock.advance(100);
    await answer(on);
    expect(await first).toEqual(failure(LATE));
    expect(await second).toEqual(fromService(on));
  });

  it('no timer is left when the answer has come in time', async () => {
    const { clock, learn } = setUp();
    await learn(on);
    expect(clock.timers()).toBe(0);
  });
});

describe('while the service is not to be asked', () => {
  const OPEN: Failure = { kind: 'unavailable', message: 'not asked' };

  it('what is fresh is told as ever, what is not is told as stale, the rest fails at once', async () => {
    const refusal = vi.fn<() => Failure | undefined>();
    const { clock, asked, tell, learn } = setUp({ refusal });
    await learn(on);
    refusal.mockReturnValue(OPEN);
    expect(tell()).toEqual(fromCache(on, 0));
    await clock.advance(1_000);
    expect(tell()).toEqual(fromCache(on, 1_000, true));
    await clock.advance(1_000);
    expect(tell()).toEqual(fromCache(on, 2_000, true));
    expect(tell('other')).toEqual(failure(OPEN));
    expect(asked).toHaveLength(1);
  });
});

describe('an old answer', () => {
  it.each<[string, Partial<Failure>, boolean]>([
    ['a 400 for the question alone', { status: 400, alone: true }, false],
    ['a 422 for the question alone', { status: 422, alone: true }, false],
    ['a 400 for its whole batch', { status: 400 }, true],
    ['a 404 for the question alone', { status: 404, alone: true }, true],
    ['a 500 for the question alone', { status: 500, alone: true }, true],
    ['a 401', { status: 401, alone: true }, true],
  ])('after %s: %j', async (_, how, used) => {
    const { clock, learn } = setUp();
    await learn(on);
    await clock.advance(2_000);
    const what: Failure = { kind: 'status', message: 'no', ...how };
    expect(await learn(failed(what))).toEqual(used ? fromCache(on, 2_000, true) : failure(what));
  });
});

describe('without a cache', () => {
  it('each question is asked anew, but those alike at once still share a flight', async () => {
    const { asked, tell, learn, layer } = setUp({ cache: undefined });
    expect(await learn(on)).toEqual(fromService(on));
    expect(await learn(off)).toEqual(fromService(off));
    expect(layer.knowsAnything()).toBe(false);
    void tell();
    void tell();
    expect(asked).toHaveLength(3);
    layer.forget(['flag']);
    layer.forget();
  });

  it('a failure is a failure', async () => {
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
  ])('does not come where %s', async (_, flagOf) => {
    const { clock, warn, asked, tell } = setUp();
    const told = Array.from({ length: 1_000 }, (__, at) => Promise.resolve(tell(flagOf(at))));
    for (const { answer } of asked) answer(on);
    await Promise.all(told);
    await clock.settle();
    expect(warn).not.toHaveBeenCalled();
  });

  it('does not come of an outage', () => {
    const refusal = () => ({ kind: 'unavailable', message: 'not asked' }) as const;
    const { warn, tell } = setUp({ refusal });
    for (let at = 0; at < 1_100; at++) void tell();
    expect(warn).not.toHaveBeenCalled();
  });
});
