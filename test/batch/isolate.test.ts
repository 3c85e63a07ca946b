import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { isolating, type Service } from '../../src/batch/isolate.js';
import {
  failed,
  UNANSWERED,
  type Answer,
  type AskAtOnce,
  type Failure,
  type Question,
} from '../../src/model.js';
import { question } from '../cache/questions.js';
import { manualClock } from '../clock.js';
import { variantAnswer } from '../mapping/answers.js';

const spoilt = (status: number): Failure => ({ kind: 'status', status, message: `status ${status}` });
const answerOf = ({ flag }: Question): Answer => variantAnswer({ variant: `of ${flag}` });
const batch = (count: number) => Array.from({ length: count }, (_, at) => question(`f${at}`));
const BATCHES = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 50, 63, 64];

/** The layer over a service that fails each batch with one of the culprits in it. */
function setUp(fails: (asked: readonly Question[]) => number | undefined, more: Partial<Service> = {}) {
  const clock = manualClock();
  const requests: string[][] = [];
  const askAtOnce: AskAtOnce = (questions) => {
    requests.push(questions.map(({ flag }) => flag));
    const status = fails(questions);
    return Promise.resolve(status === undefined ? questions.map(answerOf) : spoilt(status));
  };
  const serviceFailed = vi.fn<(failure: Failure) => void>();
  const service = { isWell: () => true, failed: serviceFailed, ...more };
  const { askMany, laneOf } = isolating(askAtOnce, service, clock);
  /** A request for each lane, as the batches make them. */
  const ask = async (questions: readonly Question[]): Promise<readonly Answer[]> => {
    const lanes = new Map<string, Question[]>();
    for (const one of questions) lanes.set(laneOf(one), [...(lanes.get(laneOf(one)) ?? []), one]);
    const answered = await Promise.all(
      [...lanes.values()].map(async (some) => {
        const answers = await askMany(some);
        return some.map((one, at) => [one, answers[at]] as const);
      }),
    );
    const answers = new Map(answered.flat());
    return questions.map((one) => answers.get(one) ?? failed(UNANSWERED));
  };
  return { clock, ask, requests, serviceFailed };
}

const spoiltBy =
  (status: number, ...culprits: string[]) =>
  (questions: readonly Question[]) =>
    questions.some(({ flag }) => culprits.includes(flag)) ? status : undefined;

describe('a question that spoils its batch', () => {
  it.each([400, 404, 413, 422, 500])(
    'with %s alone fails, wherever it stands among 1 to 64',
    async (status) => {
      for (const size of BATCHES) {
        for (let at = 0; at < size; at++) {
          const { ask, requests } = setUp(spoiltBy(status, `f${at}`));
          const questions = batch(size);
          const answers = await ask(questions);
          const own = failed({ ...spoilt(status), alone: true });
          expect(answers).toEqual(questions.map((one, position) => (position === at ? own : answerOf(one))));
          expect(requests.length - 1).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(size)));
        }
      }
    },
  );

  it('is asked alone for 30 s, and then again with others', async () => {
    const { clock, ask, requests } = setUp(spoiltBy(400, 'f1'));
    await ask(batch(3));
    requests.length = 0;
    await clock.advance(29_999);
    expect(await ask(batch(3))).toMatchObject([
      { variant: 'of f0' },
      { kind: 'failed' },
      { variant: 'of f2' },
    ]);
    expect(requests).toEqual([['f0', 'f2'], ['f1']]);
    requests.length = 0;
    await clock.advance(30_000);
    await ask(batch(3));
    expect(requests[0]).toEqual(['f0', 'f1', 'f2']);
  });

  it('is told from the same flag asked for another entity', async () => {
    const { ask, requests } = setUp(([one]) => (one?.entity === 'bad' ? 400 : undefined));
    await ask([question('f', 'bad'), question('f', 'good')]);
    requests.length = 0;
    await ask([question('f', 'good'), question('g', 'good')]);
    expect(requests).toEqual([['f', 'g']]);
  });

  it('among thousands of such, is remembered before those that were found earlier', async () => {
    const { ask, requests } = setUp((questions) =>
      questions.length === 1 && isOdd(questions[0]!) ? 400 : even(questions),
    );
    for (let at = 0; at < 1_001; at++) await ask([question(`odd-${at}`), question(`f${at}`)]);
    requests.length = 0;
    await ask([question('odd-1000'), question('x'), question('y')]);
    expect(requests).toEqual([['odd-1000'], ['x', 'y']]);
    requests.length = 0;
    await ask([question('odd-0'), question('x')]);
    expect(requests[0]).toEqual(['odd-0', 'x']);
  });
});

/** Of each flag as many questions as its number says, each about another entity. */
const about = (counts: readonly number[]) =>
  counts.flatMap((count, flag) => Array.from({ length: count }, (_, at) => question(`f${flag}`, `u${at}`)));

/** Every way to share so many questions among flags, in every order. */
function* shared(count: number): Generator<readonly number[]> {
  if (count === 0) yield [];
  for (let first = 1; first <= count; first++) {
    for (const others of shared(count - first)) yield [first, ...others];
  }
}

describe('a batch in which questions share flags', () => {
  /** What each question came to, and how many requests that took. */
  const outcome = async (questions: readonly Question[], culprits: readonly Question[], status: number) => {
    const { ask, requests } = setUp((asked) =>
      asked.some((one) => culprits.includes(one)) ? status : undefined,
    );
    const answers = await ask(questions);
    return { answers, requests: requests.length };
  };
  const statuses = fc.constantFrom(400, 404, 413, 422, 500);

  it('of up to 10 takes 3 log2(n) + 2 extra requests for one culprit, whichever it is', async () => {
    for (let size = 2; size <= 10; size++) {
      for (const counts of shared(size)) {
        const questions = about(counts);
        for (const culprit of questions) {
          const { answers, requests } = await outcome(questions, [culprit], 500);
          expect(questions.filter((_, at) => answers[at]?.kind === 'failed')).toEqual([culprit]);
          expect(requests - 1, counts.join()).toBeLessThanOrEqual(3 * Math.log2(size) + 2);
        }
      }
    }
  });

  it.each([
    { counts: [5, 1], extra: 8 },
    { counts: [49, 1], extra: 14 },
    { counts: [1, 1, 34, 14], extra: 16 },
  ])('of $counts takes $extra at most', async ({ counts, extra }) => {
    const questions = about(counts);
    let most = 0;
    for (const culprit of questions) {
      most = Math.max(most, (await outcome(questions, [culprit], 400)).requests - 1);
    }
    expect(most).toBe(extra);
  });

  const mixed = fc
    .array(fc.tuple(fc.nat(6), fc.boolean()), { minLength: 2, maxLength: 64 })
    .map((drawn) => drawn.map(([flag, bad], at) => ({ one: question(`f${flag}`, `u${at}`), bad })));

  it('of any kind, mixed in any way, takes no more', async () => {
    await fc.assert(
      fc.asyncProperty(mixed, fc.nat(63), statuses, async (drawn, at, status) => {
        const questions = drawn.map(({ one }) => one);
        const culprit = questions[at % questions.length]!;
        const { answers, requests } = await outcome(questions, [culprit], status);
        expect(questions.filter((_, position) => answers[position]?.kind === 'failed')).toEqual([culprit]);
        expect(requests - 1).toBeLessThanOrEqual(3 * Math.log2(questions.length) + 2);
      }),
    );
  });

  it('never takes more than 4 log2(n) + 4 requests, however many are culprits', async () => {
    await fc.assert(
      fc.asyncProperty(mixed, statuses, async (drawn, status) => {
        const questions = drawn.map(({ one }) => one);
        const culprits = drawn.filter(({ bad }) => bad).map(({ one }) => one);
        const { answers, requests } = await outcome(questions, culprits, status);
        expect(requests).toBeLessThanOrEqual(4 * Math.log2(questions.length) + 4);
        for (const [position, one] of questions.entries()) {
          const answer = answers[position];
          if (culprits.includes(one)) expect(answer?.kind).toBe('failed');
          if (answer?.kind !== 'failed') expect(answer).toEqual(answerOf(one));
        }
      }),
    );
  });
});

const isOdd = ({ flag }: Question) => flag.startsWith('odd');
const even = (questions: readonly Question[]) => (questions.some(isOdd) ? 400 : undefined);

describe('several that spoil their batch', () => {
  it('all fail, and only they, while the requests suffice', async () => {
    const { ask } = setUp(spoiltBy(400, 'f1', 'f6'));
    const answers = await ask(batch(8));
    expect(answers.map(({ kind }) => kind === 'failed')).toEqual([0, 1, 0, 0, 0, 0, 1, 0].map(Boolean));
  });

  it.each([400, 404, 413, 422, 500])(
    'with %s never take more than 4 log2(n) + 4 requests',
    async (status) => {
      for (const size of BATCHES) {
        for (const every of [1, 2, 3, 5]) {
          const culprits = batch(size).flatMap(({ flag }, at) => (at % every === 0 ? [flag] : []));
          const { ask, requests } = setUp(spoiltBy(status, ...culprits));
          const answers = await ask(batch(size));
          expect(requests.length).toBeLessThanOrEqual(4 * Math.log2(size) + 4);
          expect(answers).toHaveLength(size);
          for (const [at, answer] of answers.entries()) {
            if (answer.kind === 'variant') expect(answer.variant).toBe(`of f${at}`);
            if (culprits.includes(`f${at}`)) expect(answer.kind).toBe('failed');
          }
        }
      }
    },
  );
});

describe('a service that answers 500 to everything', () => {
  it.each(BATCHES.slice(1))(
    'gets three requests at most for a batch of %s, and one failure is told',
    async (size) => {
      const { ask, requests, serviceFailed } = setUp(() => 500);
      const answers = await ask(batch(size));
      expect(requests.length).toBeLessThanOrEqual(3);
      expect(answers).toEqual(batch(size).map(() => failed(spoilt(500))));
      expect(serviceFailed).toHaveBeenCalledExactlyOnceWith(spoilt(500));
    },
  );

  it('does not make culprits of the questions', async () => {
    const status = vi.fn<() => number | undefined>(() => 500);
    const { ask, requests } = setUp(status);
    await ask(batch(4));
    status.mockReturnValue(undefined);
    requests.length = 0;
    await ask(batch(4));
    expect(requests).toEqual([['f0', 'f1', 'f2', 'f3']]);
  });
});

describe('no search is made', () => {
  it.each([401, 403, 408, 429, 501, 502, 503, 504])('for a %s', async (status) => {
    const { ask, requests } = setUp(() => status);
    expect(await ask(batch(4))).toEqual(batch(4).map(() => failed(spoilt(status))));
    expect(requests).toHaveLength(1);
  });

  it('while the service is not well', async () => {
    const { ask, requests } = setUp(spoiltBy(400, 'f0'), { isWell: () => false });
    expect(await ask(batch(4))).toEqual(batch(4).map(() => failed(spoilt(400))));
    expect(requests).toHaveLength(1);
  });

  it('after one that found nothing but failures, until something succeeds', async () => {
    const { ask, requests } = setUp((questions) => (questions[0]?.flag === 'good' ? undefined : 404));
    await ask(batch(4));
    requests.length = 0;
    await ask(batch(6).slice(4));
    expect(requests).toEqual([['f4', 'f5']]);
    await ask([question('good')]);
    requests.length = 0;
    await ask(batch(8).slice(6));
    expect(requests.length).toBeGreaterThan(1);
  });

  it('while another is made: the next one waits for it', async () => {
    const { ask, requests } = setUp(spoiltBy(400, 'f0', 'g0'));
    await Promise.all([ask(batch(4)), ask(['g0', 'g1', 'g2', 'g3'].map((flag) => question(flag)))]);
    const searches = requests.slice(2).map((flags) => flags[0]?.[0]);
    expect(searches).toEqual([...searches].sort());
    expect(searches).toContain('g');
  });
});

it('no question, no request', async () => {
  const { ask, requests } = setUp(() => undefined);
  expect(await ask([])).toEqual([]);
  expect(requests).toEqual([]);
});

describe('a broken flag', () => {
  const users = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => [
      question('broken', `u${from + at}`),
      question('fine', `u${from + at}`),
      question('well', `u${from + at}`),
    ]).flat();
  const isFine = ({ flag }: Question) => flag !== 'broken';

  it.each([400, 500])(
    'that gives %s for everybody does not keep the others from their answers',
    async (status) => {
      const { ask, serviceFailed } = setUp(spoiltBy(status, 'broken'));
      for (let round = 0; round < 5; round++) {
        const questions = users(8, 100 * round);
        const answers = await ask(questions);
        questions.forEach((one, at) => {
          if (isFine(one)) expect(answers[at]).toEqual(answerOf(one));
          else expect(answers[at]).toMatchObject({ kind: 'failed', failure: { status } });
        });
      }
      expect(serviceFailed).not.toHaveBeenCalled();
    },
  );

  it('known as such, goes apart, in one request for all who ask for it', async () => {
    const { ask, requests } = setUp(spoiltBy(500, 'broken'));
    await ask(users(8));
    requests.length = 0;
    await ask(users(4, 100));
    expect(requests[0]).toEqual(['broken', 'broken', 'broken', 'broken']);
    expect(requests[1]).toEqual(Array.from({ length: 4 }, () => ['fine', 'well']).flat());
  });
});
