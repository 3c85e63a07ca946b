import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failed, type Question } from '../../src/model/answer.js';
import { question } from '../cache/questions.fixture.js';
import { answerOf, setUp, spoilt, spoiltBy } from './isolated.fixture.js';

/** So many questions about each flag as its number says, each for another entity. */
const about = (counts: readonly number[]) =>
  counts.flatMap((count, flag) => Array.from({ length: count }, (_, at) => question(`f${flag}`, `u${at}`)));

/** Every way to divide so many questions among flags, in every order. */
function* shared(count: number): Generator<readonly number[]> {
  if (count === 0) yield [];
  for (let first = 1; first <= count; first++) {
    for (const others of shared(count - first)) yield [first, ...others];
  }
}

describe('a batch in which questions share flags', () => {
  /** The answers to the questions, and how many requests they took. */
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
        const found: (readonly Question[])[] = [];
        let most = 0;
        for (const culprit of questions) {
          const { answers, requests } = await outcome(questions, [culprit], 500);
          found.push(questions.filter((_, at) => answers[at]?.kind === 'failed'));
          most = Math.max(most, requests - 1);
        }
        expect(found).toEqual(questions.map((culprit) => [culprit]));
        expect(most, counts.join()).toBeLessThanOrEqual(3 * Math.log2(size) + 2);
      }
    }
  });

  it.each([
    { counts: [5, 1], extra: 8 },
    { counts: [49, 1], extra: 14 },
    { counts: [1, 1, 34, 14], extra: 14 },
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

  it('takes no more, whatever its flags and failures are', async () => {
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

describe('a broken flag', () => {
  const users = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => [
      question('broken', `u${from + at}`),
      question('fine', `u${from + at}`),
      question('well', `u${from + at}`),
    ]).flat();
  const isFine = ({ flag }: Question) => flag !== 'broken';

  it.each([400, 500])(
    'that fails with %s for everybody does not keep others from their answers',
    async (status) => {
      const { ask, serviceFailures } = setUp(spoiltBy(status, 'broken'));
      for (let round = 0; round < 5; round++) {
        const questions = users(8, 100 * round);
        const answers = await ask(questions);
        questions.forEach((one, at) => {
          if (isFine(one)) expect(answers[at]).toEqual(answerOf(one));
          else expect(answers[at]).toEqual(failed(spoilt(status)));
        });
      }
      expect(serviceFailures).toEqual([]);
    },
  );

  it('that is known is sent apart, in one request for all who ask for it', async () => {
    const { ask, requests } = setUp(spoiltBy(500, 'broken'));
    await ask(users(8));
    requests.length = 0;
    await ask(users(4, 100));
    expect(requests[0]).toEqual(['broken', 'broken', 'broken', 'broken']);
    expect(requests[1]).toEqual(Array.from({ length: 4 }, () => ['fine', 'well']).flat());
  });
});
