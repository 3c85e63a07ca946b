import { describe, expect, it, vi } from 'vitest';
import { batched } from '../../src/batch/batching.js';
import { answeredRequests } from '../../src/batch/answered-requests.js';
import { isolating } from '../../src/batch/isolate-culprits.js';
import type { AskAtOnce, Question } from '../../src/model/answer.js';
import type { Failure } from '../../src/model/failure.js';
import { question } from '../cache/questions.fixture.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { held } from './held.fixture.js';
import { answerOf, loadSearch, setUp, SIZES, spoilt, spoiltBy } from './isolated.fixture.js';

const SILENT: Failure = { kind: 'timeout', message: 'no answer within 500 ms' };
const RESET: Failure = { kind: 'stale-connection', message: 'reset' };
const batch = (count: number) => Array.from({ length: count }, (_, at) => question(`f${at}`));

describe('what looks like a failure of the service', () => {
  it('fails the whole batch if a check fails, and for 5 s no other is checked or searched', async () => {
    const check = vi.fn(() => Promise.resolve(spoilt(503)));
    const { clock, ask, requests } = setUp(spoiltBy(503, 'f1'), { check });
    const kinds = async () => (await ask(batch(8))).map(({ kind }) => kind);
    const failed = Array.from({ length: 8 }, () => 'failed');
    expect([await kinds(), await kinds()]).toEqual([failed, failed]);
    await clock.advance(4_999);
    expect(await kinds()).toEqual(failed);
    expect([check.mock.calls.length, requests.length]).toEqual([1, 3]);
    await clock.advance(1);
    await kinds();
    expect([check.mock.calls.length, requests.length]).toEqual([2, 4]);
  });

  it('is checked although other requests are answered, as some of a half-dead service are', async () => {
    const check = vi.fn(() => Promise.resolve(spoilt(503)));
    const { ask, requests } = setUp(spoiltBy(503, 'bad'), { check }, 2);
    await ask([question('bad'), question('a'), question('b'), question('c')]);
    expect([check.mock.calls.length, requests.length]).toEqual([1, 2]);
  });

  it('ends a search for what it did not look like at first', async () => {
    let asked = 0;
    const { ask, requests } = setUp(() => (asked++ === 0 ? 400 : 503), {
      check: () => Promise.resolve(undefined),
    });
    await ask(batch(16));
    expect(requests).toHaveLength(1 + 4);
  });

  it.each([
    ['a reset', RESET],
    ['a refused connection', { kind: 'connection', message: 'refused' } as const],
  ])('may be %s', async (_, failure) => {
    const { ask, end, outcomes } = held({ maxItems: 2 });
    await ask('bad', 'good');
    await end('bad', failure);
    await end('bad', failure);
    await end('good');
    expect(outcomes).toEqual(['good ok', 'bad failed']);
  });
});

describe('silence', () => {
  it('after which a later request was answered quickly: each question is asked alone', async () => {
    const { clock, ask, end, searches, outcomes } = held({ maxItems: 6 });
    await ask('a', 'b', 'c', 'd', 'e', 'f');
    await clock.advance(1);
    await ask('later');
    await end('later');
    await clock.advance(499);
    await end('a', SILENT);
    expect(searches()).toEqual([['a'], ['b'], ['c'], ['d'], ['e'], ['f']]);
    for (const flag of ['a', 'b', 'c', 'd', 'e']) await end(flag);
    await end('f', SILENT);
    expect(outcomes).toEqual(['later ok', 'a ok', 'b ok', 'c ok', 'd ok', 'e ok', 'f failed']);
  });

  it('of a service that answers slowly: nothing is asked again, because requests wait in a line', async () => {
    const { clock, ask, end, searches, outcomes } = held({ maxItems: 2 });
    await ask('a', 'b');
    await clock.advance(1);
    await ask('later');
    await clock.advance(201);
    await end('later');
    await clock.advance(298);
    await end('a', SILENT);
    expect(searches()).toEqual([]);
    expect(outcomes).toEqual(['later ok', 'a failed', 'b failed']);
  });

  it('does not halve the requests at once if the parts of another batch are answered', async () => {
    const { clock, ask, end, batches } = held({ maxItems: 2, maxConcurrent: 2 });
    await ask('bad', 'good');
    await clock.advance(1);
    await ask('later');
    await end('later');
    await clock.advance(399);
    await ask('silent', 'other');
    await clock.advance(100);
    await end('bad', SILENT);
    await end('good');
    await clock.advance(400);
    await end('silent', SILENT);
    await ask('x1', 'x2', 'y1', 'y2');
    expect(batches()).toHaveLength(2);
  });
});

/** Questions of others, and those that a firewall fails, on the injected clock: 10 ms for a request. */
async function played(perSecond: { others: number; special: number }, fails: (special: boolean) => boolean) {
  const clock = manualClock();
  let requests = 0;
  const serve: AskAtOnce = async (questions) => {
    requests++;
    await new Promise<void>((done) => {
      clock.after(10, done);
    });
    return fails(questions.some(isSpecial)) ? spoilt(503) : questions.map(answerOf);
  };
  const isSpecial = ({ entity }: Question) => entity.startsWith('special');
  const check = async () => {
    const outcome = await serve([question('')]);
    return 'kind' in outcome ? outcome : undefined;
  };
  const runtime = runtimeOf(clock);
  const service = {
    ask: serve,
    refusal: () => undefined,
    check,
    serviceFailed: () => undefined,
    answered: answeredRequests(clock),
    loadSearch,
  };
  const limits = { maxItems: 50, maxBytes: 10_000, maxConcurrent: 8, maxWaiting: 1_000, sizes: SIZES };
  const layer = batched(isolating(service, runtime), limits, runtime);
  const failed = { others: 0, special: 0 };
  let flag = 0;
  for (let ms = 0; ms < 2_000; ms += 10) {
    for (const kind of ['others', 'special'] as const) {
      const due = (at: number) => Math.floor((at * perSecond[kind]) / 1_000);
      for (let at = due(ms); at < due(ms + 10); at++) {
        const until = clock.now() + 1_000;
        const one = question(`f${(flag += 7) % 40}`, `${kind}-${at}`);
        void layer
          .ask(one, () => until)
          .then((answer) => {
            if (answer.kind === 'failed' || clock.now() > until) failed[kind]++;
          });
      }
    }
    await clock.advance(10);
  }
  await clock.advance(2_000);
  return { requests, failed };
}

it('a firewall that fails 100 questions a second with 503 costs 300 others a second nothing', async () => {
  const { failed } = await played({ others: 300, special: 100 }, (special) => special);
  expect(failed).toEqual({ others: 0, special: 200 });
});

it('a half-dead service, which fails two requests of five at random, gets no more than a tenth more requests', async () => {
  let draws = 0;
  const { requests } = await played({ others: 300, special: 0 }, () => (draws++ * 3) % 5 < 2);
  const batches = 200;
  expect(requests).toBeLessThanOrEqual(1.1 * batches);
});
