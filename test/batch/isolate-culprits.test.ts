import { describe, expect, it, vi } from 'vitest';
import { failed, type Question } from '../../src/model/answer.js';
import { question } from '../cache/questions.fixture.js';
import { answerOf, setUp, spoilt, spoiltBy } from './isolated.fixture.js';

const batch = (count: number) => Array.from({ length: count }, (_, at) => question(`f${at}`));
const BATCHES = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 50, 63, 64];

describe('a question that spoils its batch', () => {
  it.each([400, 404, 413, 422, 500, 503])(
    'with %s is the only one to fail, wherever it is among 1 to 64',
    async (status) => {
      for (const size of BATCHES) {
        for (let at = 0; at < size; at++) {
          const { ask, requests } = setUp(spoiltBy(status, `f${at}`));
          const questions = batch(size);
          const answers = await ask(questions);
          const own = failed(spoilt(status));
          expect(answers).toEqual(questions.map((one, position) => (position === at ? own : answerOf(one))));
          expect(requests.length - 1).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(size)));
        }
      }
    },
  );

  it('is sent alone for 30 s, and then again with others', async () => {
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

  it('is distinguished from the same flag for another entity', async () => {
    const { ask, requests } = setUp(([one]) => (one?.entity === 'bad' ? 400 : undefined));
    await ask([question('f', 'bad'), question('f', 'good')]);
    requests.length = 0;
    await ask([question('f', 'good'), question('g', 'good')]);
    expect(requests).toEqual([['f', 'g']]);
  });

  it('is remembered longer than thousands that were found earlier', async () => {
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

const isOdd = ({ flag }: Question) => flag.startsWith('odd');
const even = (questions: readonly Question[]) => (questions.some(isOdd) ? 400 : undefined);

describe('several that spoil their batch', () => {
  it('all fail, and only they, if there are requests enough to find them', async () => {
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
    'gets one request and a check for a batch of %s, and one failure is reported',
    async (size) => {
      const { ask, requests, check, serviceFailures } = setUp(() => 500);
      const answers = await ask(batch(size));
      expect([requests.length, check.mock.calls.length]).toEqual([1, 1]);
      expect(answers).toEqual(batch(size).map(() => failed(spoilt(500))));
      expect(serviceFailures).toEqual([spoilt(500)]);
    },
  );

  it('has no question blamed', async () => {
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

  it('while the service is not healthy', async () => {
    const { ask, requests } = setUp(spoiltBy(400, 'f0'), { refusal: () => spoilt(503) });
    expect(await ask(batch(4))).toEqual(batch(4).map(() => failed(spoilt(400))));
    expect(requests).toHaveLength(1);
  });
});

describe('a search, while nothing succeeds', () => {
  /** All flags but the good ones spoil their batch, although the service is well. */
  const isGood = ({ flag }: Question) => flag === '' || flag.startsWith('good');
  const allBad = (status: number) => (questions: readonly Question[]) =>
    questions.every(isGood) ? undefined : status;

  it.each([400, 500])(
    'is brief after one that found only failures with %s, until something succeeds',
    async (status) => {
      const { ask, requests } = setUp(allBad(status));
      await ask(batch(64));
      expect(requests.length).toBeGreaterThan(9);
      requests.length = 0;
      await ask(batch(64).map(({ flag }) => question(`other-${flag}`)));
      expect(requests).toHaveLength(5);
      await ask([question('good')]);
      requests.length = 0;
      await ask(batch(64).map(({ flag }) => question(`another-${flag}`)));
      expect(requests.length).toBeGreaterThan(9);
    },
  );

  it.each([400, 500])(
    'with %s answers every good question, if any part of the batch succeeds',
    async (status) => {
      const { ask } = setUp(allBad(status));
      await ask(batch(2));
      const questions = [...batch(2), ...Array.from({ length: 18 }, (_, at) => question(`good-${at}`))];
      const answers = await ask(questions);
      expect(answers).toEqual(questions.map((one) => (isGood(one) ? answerOf(one) : failed(spoilt(status)))));
    },
  );

  it('does not begin before another one has ended, which may blame the same', async () => {
    const { ask, requests } = setUp(allBad(400), {}, 4);
    await ask([...batch(4), ...['g0', 'g1', 'g2', 'g3'].map((flag) => question(flag))]);
    const searches = requests.slice(2).map((flags) => flags[0]?.[0]);
    expect(searches).toEqual(searches.toSorted());
  });
});

describe('culprits that are in every part that is cut between flags', () => {
  const flags = Array.from({ length: 20 }, (_, at) => `f${at}`);

  it.each([400, 500])('with %s fail alone: flags far from each other', async (status) => {
    const { ask } = setUp(spoiltBy(status, 'f2', 'f17'));
    const answers = await ask(flags.map((flag) => question(flag)));
    expect(flags.filter((_, at) => answers[at]?.kind === 'failed')).toEqual(['f2', 'f17']);
  });

  it.each([400, 500])('with %s fail alone: a context, and its flags are not blamed', async (status) => {
    const { ask, requests } = setUp((questions) =>
      questions.some(({ entity }) => entity === 'bad') ? status : undefined,
    );
    const both = flags.flatMap((flag) => [question(flag, 'bad'), question(flag, 'good')]);
    const answers = await ask(both);
    expect(both.filter((_, at) => answers[at]?.kind !== 'failed').map(({ entity }) => entity)).toEqual(
      flags.map(() => 'good'),
    );
    requests.length = 0;
    await ask(flags.map((flag) => question(flag, 'another')));
    expect(requests).toEqual([flags]);
  });
});

it('no question, no request', async () => {
  const { ask, requests } = setUp(() => undefined);
  expect(await ask([])).toEqual([]);
  expect(requests).toEqual([]);
});
