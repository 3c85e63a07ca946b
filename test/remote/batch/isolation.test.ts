import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failed, type Question } from '../../../src/model/answer.js';
import { question } from '../cache/questions.fixture.js';
import { held } from './held.fixture.js';
import { answerOf, setUp, spoilt, spoiltBy } from './isolated.fixture.js';

const EXTRA_REQUESTS = 16;
const STATUSES = [400, 404, 413, 422, 500, 503];
const batch = (count: number) => Array.from({ length: count }, (_, at) => question(`f${at}`));
const SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 50, 63, 64];

describe('a question that spoils its batch', () => {
  it.each(STATUSES)('with %s is the only one to fail, wherever it is among 1 to 64', async (status) => {
    for (const size of SIZES) {
      for (let at = 0; at < size; at++) {
        const { ask, requests } = setUp(spoiltBy(status, `f${at}`));
        const questions = batch(size);
        const answers = await ask(questions);
        const own = failed(spoilt(status));
        expect(answers).toEqual(questions.map((one, position) => (position === at ? own : answerOf(one))));
        expect(requests.length - 1).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(size)));
      }
    }
  });

  it('is the only one to fail in a batch about one flag', async () => {
    for (let bad = 0; bad < 20; bad++) {
      const questions = Array.from({ length: 20 }, (_, at) => question('f', `user-${at}`));
      const { ask } = setUp((asked) => (asked.includes(questions[bad]!) ? 500 : undefined));
      const answers = await ask(questions);
      expect(questions.filter((_, at) => answers[at]?.kind === 'failed')).toEqual([questions[bad]]);
    }
  });

  it('after silence is asked in eight parts at once, because the time does not suffice for more', async () => {
    const { ask, end, parts, outcomes } = held();
    await ask('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    await end('a', { kind: 'timeout', message: 'no answer within 500 ms' });
    expect(parts()).toEqual([['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g'], ['h']]);
    await end('b');
    // The others do not wait for the silent one.
    expect(outcomes).toEqual(['b ok']);
  });
});

describe('a flag that fails for everybody', () => {
  const users = (flags: number, count: number) =>
    Array.from({ length: count }, (_, user) =>
      Array.from({ length: flags }, (__, flag) => question(`f${flag}`, `user-${user}`)),
    );

  it.each(STATUSES)('with %s costs nobody else an answer, page after page', async (status) => {
    const { ask } = setUp(spoiltBy(status, 'f7'));
    for (const page of users(50, 5)) {
      const answers = await ask(page);
      expect(page.filter((_, at) => answers[at]?.kind === 'failed').map(({ flag }) => flag)).toEqual(['f7']);
    }
  });

  it('costs extra requests once, and then one for all who ask for it', async () => {
    const { ask, requests } = setUp(spoiltBy(500, 'f1'));
    await ask(users(3, 1).flat());
    requests.length = 0;
    await ask(users(3, 4).flat().slice(3));
    expect(requests).toEqual([
      ['f0', 'f2', 'f0', 'f2', 'f0', 'f2'],
      ['f1', 'f1', 'f1'],
    ]);
  });

  it('is not divided down to single questions: all parts about it alone have failed', async () => {
    const { ask, requests } = setUp(spoiltBy(500, 'f'));
    await ask(Array.from({ length: 16 }, (_, at) => question('f', `user-${at}`)));
    expect(requests.map(({ length }) => length)).toEqual([16, 4, 4, 4, 4]);
  });

  it('does not fail in other batches that it has spoilt before it was known', async () => {
    const { ask, end, parts, outcomes } = held();
    await ask(question('broken', 'ann'), 'x');
    await end('x', 500);
    await ask(question('broken', 'ben'), 'y', 'z');
    await end('broken', 500);
    await end('x');
    await end('y', 500);
    // The second batch asks all others in one request.
    expect(parts()).toEqual([['y', 'z'], ['broken']]);
    await end('y');
    expect(outcomes).toEqual(['x ok', 'broken failed', 'y ok', 'z ok']);
  });
});

it('parts about one flag that fail do not show that the flag does, if others get answers about it', async () => {
  const { ask, end, parts, outcomes } = held();
  await ask(...Array.from({ length: 8 }, (_, at) => question('f', `user-${at}`)));
  await ask(question('f', 'another'));
  await end('f', 400);
  await end('f');
  expect(parts()).toEqual(Array(4).fill(['f', 'f']));
  for (let part = 0; part < 4; part++) await end('f', 400);
  expect([outcomes, parts()]).toEqual([['f ok'], Array(8).fill(['f'])]);
});

describe('any batch', () => {
  const drawn = fc
    .array(fc.tuple(fc.nat(9), fc.boolean()), { minLength: 2, maxLength: 64 })
    .map((list) => list.map(([flag, bad], at) => ({ one: question(`f${flag}`, `u${at}`), bad })));

  it('takes 16 extra requests at most, and gives each question its own answer or its failure', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.constantFrom(...STATUSES), async (list, status) => {
        const questions = list.map(({ one }) => one);
        const bad = new Set<Question>(list.flatMap((its) => (its.bad ? [its.one] : [])));
        const { ask, requests } = setUp((asked) => (asked.some((one) => bad.has(one)) ? status : undefined));
        const answers = await ask(questions);
        expect(requests.length - 1).toBeLessThanOrEqual(EXTRA_REQUESTS);
        questions.forEach((one, at) => {
          if (bad.has(one)) expect(answers[at]).toEqual(failed(spoilt(status)));
          else if (answers[at]?.kind !== 'failed') expect(answers[at]).toEqual(answerOf(one));
        });
      }),
    );
  });

  it('of 64 finds at least one suspect, however many questions spoil it', async () => {
    for (const every of [1, 2, 3, 5, 9]) {
      const bad = batch(64).flatMap(({ flag }, at) => (at % every === 0 ? [flag] : []));
      const { ask, requests } = setUp(spoiltBy(400, ...bad));
      await ask(batch(64));
      requests.length = 0;
      await ask(batch(64));
      expect(requests[0]?.length).toBeLessThan(64);
    }
  });

  it('that fails because of the credentials is not divided', async () => {
    const { ask, requests, check } = setUp(() => 401);
    expect(await ask(batch(4))).toEqual(batch(4).map(() => failed(spoilt(401))));
    expect([requests.length, check.mock.calls.length]).toEqual([1, 0]);
  });

  it('without questions makes no request', async () => {
    const { ask, requests } = setUp(() => undefined);
    expect(await ask([])).toEqual([]);
    expect(requests).toEqual([]);
  });
});

describe('a batch that fails', () => {
  it.each([404, 500, 502, 503])('with %s is not divided if a health check fails, too', async (status) => {
    const { ask, requests, check, serviceFailures } = setUp(() => status);
    expect(await ask(batch(8))).toEqual(batch(8).map(() => failed(spoilt(status))));
    expect([requests.length, check.mock.calls.length]).toEqual([1, 1]);
    // Any other kind counts for the circuit breaker, or does not, whatever a check says.
    expect(serviceFailures).toEqual(status === 500 ? [spoilt(500)] : []);
  });

  it('with 500 does not count for the circuit if another request has been answered since it was sent', async () => {
    const failures: string[] = [];
    const { clock, ask, end } = held(
      { maxItems: 2 },
      {
        check: () => Promise.resolve(spoilt(500)),
        serviceFailed: ({ message }) => failures.push(message),
      },
    );
    await ask('a', 'b');
    await clock.advance(1);
    await ask('c', 'd', 'e', 'f');
    await end('a', 500);
    await clock.advance(1);
    await end('e');
    await end('c', 500);
    expect(failures).toEqual(['status 500']);
  });

  it('asks for a health check once in 5 s if it fails, and once a second if it passes', async () => {
    let isFailing = true;
    const { clock, ask, requests, check } = setUp((asked) =>
      isFailing || asked.some(({ flag }) => flag.startsWith('bad')) ? 503 : undefined,
    );
    const asked = async (entity: string) => {
      requests.length = 0;
      // Another flag each time: the last one travels apart.
      await ask([question(`bad-${entity}`), question('x', entity)]);
      return [requests.length, check.mock.calls.length];
    };
    expect(await asked('ann')).toEqual([1, 1]);
    isFailing = false;
    await clock.advance(4_999);
    expect(await asked('ben')).toEqual([1, 1]);
    await clock.advance(1);
    expect(await asked('cem')).toEqual([3, 2]);
    await clock.advance(999);
    expect(await asked('dee')).toEqual([3, 2]);
    await clock.advance(1);
    expect(await asked('eve')).toEqual([3, 3]);
  });

  it('leaves no suspect if the service was to blame', async () => {
    let isFailing = true;
    const { ask, requests } = setUp(() => (isFailing ? 500 : undefined));
    await ask(batch(4));
    isFailing = false;
    requests.length = 0;
    await ask(batch(4));
    expect(requests).toEqual([['f0', 'f1', 'f2', 'f3']]);
  });

  it('while the circuit is open is not divided', async () => {
    const { ask, requests, check } = setUp(spoiltBy(400, 'f0'), { refusal: () => spoilt(503) });
    expect(await ask(batch(4))).toEqual(batch(4).map(() => failed(spoilt(400))));
    expect([requests.length, check.mock.calls.length]).toEqual([1, 0]);
  });

  it('with silence is not divided if the check is slow, because then requests wait in a line', async () => {
    for (const [slowMs, requests] of [
      [200, 2],
      [201, 0],
    ] as const) {
      const check = () =>
        new Promise<undefined>((passed) => {
          clock.after(slowMs, () => {
            passed(undefined);
          });
        });
      const { clock, ask, end, parts } = held({}, { check });
      await ask('a', 'b');
      await end('a', { kind: 'timeout', message: 'no answer within 500 ms' });
      await clock.advance(slowMs);
      expect(parts()).toHaveLength(requests);
    }
  });
});

it('a service that fails half of its requests at random gets at most twice as many', async () => {
  const BATCHES = 2_000;
  for (let seed = 1; seed <= 5; seed++) {
    let drawn = seed;
    const isDrawn = () => (drawn = (drawn * 48_271) % 2_147_483_647) % 2 === 0;
    const { clock, ask, requests, check } = setUp(() => (isDrawn() ? 503 : undefined));
    for (let at = 0; at < BATCHES; at++) {
      await ask(Array.from({ length: 5 }, (_, flag) => question(`f${(at + 8 * flag) % 40}`, `u${at}`)));
      await clock.advance(20);
    }
    expect(requests.length + check.mock.calls.length).toBeLessThanOrEqual(2 * BATCHES);
  }
});
