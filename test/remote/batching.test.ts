import { describe, expect, it, vi } from 'vitest';
import { loopTime } from '../../src/base/time/loop-time.js';
import { failureKindOf } from '../../src/http/reply.js';
import { failed, type Answer, type AskAtOnce, type Question } from '../../src/model/answer.js';
import { openDiagnostics } from '../../src/model/events/reporter.js';
import type { Failure } from '../../src/model/failure.js';
import { batching, type BatchLimits } from '../../src/remote/batching.js';
import { batchBody, batchWriter, itemText } from '../../src/remote/wire/batch-request.js';
import { manualClock } from '../clock.fixture.js';
import { heapInUse } from '../garbage.fixture.js';
import { variantAnswer } from '../provider/mapping/answers.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { question } from './questions.fixture.js';

const LIMITS: BatchLimits = {
  maxItems: 50,
  maxBytes: 1024 * 1024,
  maxConcurrent: 8,
  maxWaiting: 1_000,
  sizes: batchWriter(undefined).sizes,
};
const CLOSED: Failure = { kind: 'closed', message: 'closed' };

const answerOf = ({ flag }: Question) => variantAnswer({ variant: `of ${flag}` });

/** The layer over requests that the test ends. */
function setUp(more: Partial<BatchLimits & { ask: AskAtOnce }> = {}) {
  const clock = manualClock();
  const requests: { questions: readonly Question[]; end: (outcome?: Failure) => Promise<void> }[] = [];
  const asking: AskAtOnce = (questions) =>
    new Promise((resolve) => {
      const end = async (outcome?: Failure) => {
        resolve(outcome ?? questions.map(answerOf));
        await clock.settle();
      };
      requests.push({ questions, end });
    });
  const diagnostics = openDiagnostics();
  const shed = vi.fn();
  const reported = vi.fn();
  diagnostics.listen('shed', reported);
  const layer = batching(
    {
      ...LIMITS,
      ask: asking,
      overload: { sent: vi.fn(), shed },
      explains: () => Promise.resolve(false),
      deadlineMs: 1_000,
      time: loopTime(clock),
      ...more,
    },
    runtimeOf(clock, diagnostics),
  );
  const ask = (...flags: string[]) => flags.map((flag) => layer.ask(question(flag), Infinity));
  const sent = () => requests.map(({ questions }) => questions.map(({ flag }) => flag));
  return { clock, layer, ask, requests, sent, shed, reported };
}

const flags = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);

/** The layer over a service that answers at once, and fails each request in which a question is bad. */
function spoilt(isBad: (question: Question) => boolean, { status = 500, isSick = false } = {}) {
  const clock = manualClock();
  const requests: (readonly Question[])[] = [];
  const failure: Failure = { kind: failureKindOf(status), message: `status ${status}` };
  const ask: AskAtOnce = (questions) => {
    requests.push(questions);
    return Promise.resolve(questions.some(isBad) ? failure : questions.map(answerOf));
  };
  const explains = vi.fn(() => Promise.resolve(isSick));
  const layer = batching(
    {
      ...LIMITS,
      maxItems: 64,
      overload: { sent: vi.fn(), shed: vi.fn() },
      ask,
      explains,
      deadlineMs: 1_000,
      time: loopTime(clock),
    },
    runtimeOf(clock),
  );
  /** Asks in one turn, and names the questions that got no answer. */
  const page = async (questions: readonly Question[]) => {
    requests.length = 0;
    const asked = questions.map((one) => layer.ask(one, Infinity));
    await clock.settle();
    const answers = await Promise.all(asked);
    return questions
      .filter((_, at) => answers[at]?.kind === 'failed')
      .map(({ flag, entity }) => `${flag} ${entity}`);
  };
  return { clock, page, requests, explains };
}

describe('questions', () => {
  it('of one turn of the event loop are sent together, and each gets its own answer', async () => {
    const { clock, ask, requests, sent } = setUp();
    const answers = ask('a', 'b', 'c');
    expect(sent()).toEqual([]);
    await clock.settle();
    expect(sent()).toEqual([['a', 'b', 'c']]);
    await requests[0]?.end();
    expect(await Promise.all(answers)).toEqual(
      ['a', 'b', 'c'].map((flag) => variantAnswer({ variant: `of ${flag}` })),
    );
  });

  it('of the next turn are sent in a request of their own, without waiting for the first', async () => {
    const { clock, ask, sent } = setUp();
    void ask('a');
    await clock.settle();
    void ask('b');
    await clock.settle();
    expect(sent()).toEqual([['a'], ['b']]);
  });

  it('wait together while maxConcurrent requests are under way', async () => {
    const { clock, ask, requests, sent } = setUp({ maxConcurrent: 2 });
    for (const flag of flags(5)) {
      void ask(flag);
      await clock.settle();
    }
    expect(sent()).toEqual([['f0'], ['f1']]);
    await requests[1]?.end();
    expect(sent()).toEqual([['f0'], ['f1'], ['f2', 'f3', 'f4']]);
  });

  it('are split by number', async () => {
    const { clock, ask, sent } = setUp({ maxItems: 2 });
    void ask(...flags(5));
    await clock.settle();
    expect(sent()).toEqual([['f0', 'f1'], ['f2', 'f3'], ['f4']]);
  });

  it('are each sent in a request of their own if a request may hold only one', async () => {
    const { clock, ask, sent } = setUp({ maxItems: 1 });
    void ask(...flags(3));
    await clock.settle();
    expect(sent()).toEqual([['f0'], ['f1'], ['f2']]);
  });

  it('get an answer even if the layer below is defective and rejects', async () => {
    const { clock, layer } = setUp({ ask: () => Promise.reject(new Error('defect')) });
    const answer = layer.ask(question('a'), Infinity);
    await clock.settle();
    expect(await answer).toMatchObject({ kind: 'failed', failure: { kind: 'defect' } });
  });
});

describe('a request', () => {
  it.each([undefined, 'main'])(
    'is never larger than maxBytes in UTF-8 (reference: %s)',
    async (reference) => {
      const maxBytes = 600;
      const { clock, ask, requests } = setUp({ maxBytes, sizes: batchWriter(reference).sizes });
      void ask(...flags(10), ...flags(10).map((flag) => `${flag} \u20ac\u{1F600}"\n`));
      await clock.settle();
      for (const { questions } of requests) {
        expect(Buffer.byteLength(batchBody(questions.map(itemText), reference))).toBeLessThanOrEqual(
          maxBytes,
        );
      }
      expect(requests.flatMap(({ questions }) => questions)).toHaveLength(20);
      expect(requests.length).toBeLessThan(20);
    },
  );
});

describe('a question that is larger than maxBytes', () => {
  it.each([
    { part: 'the attribute "blob"', asked: question('f', 'u', { small: 'x', blob: '\u20ac'.repeat(100) }) },
    { part: 'the targetingKey', asked: question('f', 'u'.repeat(300)) },
    { part: 'the flag key', asked: question('f'.repeat(300)) },
  ])('is refused with both sizes, and names $part', async ({ part, asked }) => {
    const { clock, layer, ask, sent } = setUp({ maxBytes: 300 });
    void ask('a');
    const answer = layer.ask(asked, Infinity);
    void ask('b');
    await clock.settle();
    const bytes = Buffer.byteLength(batchBody([itemText(asked)], undefined));
    const message =
      `the evaluation context is too large: its request to Flipt would take ${bytes} bytes, ` +
      `and at most 300 are allowed (batch.maxBytes). The largest part is ${part}`;
    expect(await answer).toEqual(failed({ kind: 'context', message }));
    expect(sent()).toEqual([['a', 'b']]);
  });

  it('is sent alone if it just fits', async () => {
    const asked = question('f', 'u'.repeat(200));
    const { clock, layer, sent } = setUp({
      maxBytes: Buffer.byteLength(batchBody([itemText(asked)], undefined)),
    });
    void layer.ask(asked, Infinity);
    await clock.settle();
    expect(sent()).toEqual([['f']]);
  });
});

describe('too many questions', () => {
  it('are answered at once beyond maxWaiting, and earlier ones are not disturbed', async () => {
    const { clock, ask, requests } = setUp({ maxConcurrent: 1, maxItems: 1, maxWaiting: 2 });
    const first = ask('sent');
    await clock.settle();
    const waiting = ask('a', 'b');
    const [refused] = ask('c');
    expect(await refused).toEqual(
      failed({
        kind: 'overload',
        message: 'overload: 2 questions wait for Flipt already (batch.maxWaiting)',
      }),
    );
    for (let at = 0; at < 3; at++) await requests[at]?.end();
    expect(await Promise.all([...first, ...waiting])).toMatchObject([
      { variant: 'of sent' },
      { variant: 'of a' },
      { variant: 'of b' },
    ]);
    expect(requests).toHaveLength(3);
  });
});

describe('after close', () => {
  it('waiting and later questions get its failure, and nothing more is sent', async () => {
    const { clock, ask, layer, requests, sent } = setUp({ maxConcurrent: 1 });
    const [underWay] = ask('a');
    await clock.settle();
    const [waiting] = ask('b');
    layer.close(CLOSED);
    expect(await waiting).toEqual(failed(CLOSED));
    expect(await ask('c')[0]).toEqual(failed(CLOSED));
    await requests[0]?.end();
    expect(await underWay).toMatchObject({ variant: 'of a' });
    expect(sent()).toEqual([['a']]);
  });

  it('a batch that was gathered for the end of the turn is not sent', async () => {
    const { clock, ask, layer, sent } = setUp();
    void ask('a');
    layer.close(CLOSED);
    await clock.settle();
    expect(sent()).toEqual([]);
  });
});

describe('a caller', () => {
  it('who asks again right after an answer is in the next batch', async () => {
    const { clock, layer, requests, sent } = setUp();
    const then = vi.fn<(answer: Answer) => Promise<Answer>>(() => layer.ask(question('b'), Infinity));
    void layer.ask(question('a'), Infinity).then(then);
    await clock.settle();
    await requests[0]?.end();
    expect(sent()).toEqual([['a'], ['b']]);
  });
});

describe('a bad question', () => {
  it.each([400, 404, 406, 413, 422, 500, 501])(
    'with %s is the only one to fail, wherever it is among 1 to 64',
    async (status) => {
      for (const size of [1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 50, 64]) {
        for (let bad = 0; bad < size; bad++) {
          const { page, requests } = spoilt(({ flag }) => flag === `f${bad}`, { status });
          expect(await page(flags(size).map((flag) => question(flag)))).toEqual([`f${bad} user`]);
          expect(requests.length).toBeLessThanOrEqual(1 + 2 * Math.ceil(Math.sqrt(size)) + 1);
        }
      }
    },
  );

  it('is sent alone for 30 s, and its batch costs one request more', async () => {
    const { clock, page, requests } = spoilt(({ entity }) => entity === 'bad');
    const users = ['a', 'bad', 'b'].map((entity) => question('flag', entity));
    await page(users);
    expect(await page(users)).toEqual(['flag bad']);
    expect(requests.map((one) => one.map(({ entity }) => entity))).toEqual([['bad'], ['a', 'b']]);
    await clock.advance(30_000);
    await page(users);
    expect(requests[0]).toHaveLength(3);
  });

  it('is sent alone even if its name is long, which is not kept', async () => {
    const { page, requests } = spoilt(({ entity }) => entity.length > 1_000);
    const users = (at: number) => [question('flag', 'a'), question('flag', 'x'.repeat(900_000) + at)];
    await page(users(0));
    const before = heapInUse();
    for (let at = 1; at <= 40; at++) await page(users(at));
    await page(users(40));
    expect(requests.map((one) => one.map(({ entity }) => entity.length))).toEqual([[900_002], [1]]);
    await page([]);
    expect(heapInUse() - before).toBeLessThan(10_000_000);
  });
});

describe('a flag that fails whoever asks', () => {
  const everybody = Array.from({ length: 50 }, (_, at) => question('broken', `user-${at}`));

  it('costs 50 users at most 17 requests with the check, and then those who were tried one each', async () => {
    const { page, requests, explains } = spoilt(({ flag }) => flag === 'broken');
    expect(await page(everybody)).toHaveLength(50);
    expect(requests.length + explains.mock.calls.length).toBeLessThanOrEqual(17);
    expect(await page(everybody)).toHaveLength(50);
    expect(requests.length).toBeLessThanOrEqual(9);
  });

  it('does not fail for those who wait while another is tried, once it works again', async () => {
    const isBroken = vi.fn(({ flag }: Question) => flag === 'broken');
    const { page, requests } = spoilt(isBroken);
    await page(everybody);
    isBroken.mockReturnValue(false);
    expect(await page(everybody)).toEqual([]);
    expect(requests.at(-1)?.length).toBeGreaterThan(40);
  });

  it('costs one request at a time, also where all its questions have one entity', async () => {
    const { page, requests } = spoilt(({ flag }) => flag === 'broken');
    const anonymous = Array.from({ length: 50 }, (_, at) => question('broken', '', { page: String(at) }));
    await page(anonymous);
    expect(await page(anonymous)).toHaveLength(50);
    expect(requests.length).toBeLessThanOrEqual(2);
  });

  it('is found although three of a page do', async () => {
    const isBad = ({ flag }: Question) => ['f3', 'f20', 'f40'].includes(flag);
    const { page, requests } = spoilt(isBad);
    const all = flags(50).map((flag) => question(flag));
    await page(all);
    await page(all);
    expect(await page(all)).toEqual(['f3 user', 'f20 user', 'f40 user']);
    expect(requests).toHaveLength(4);
  });
});

it('a batch is not sent again if the service explains its failure', async () => {
  const { page, requests } = spoilt(() => true, { isSick: true });
  expect(await page(flags(50).map((flag) => question(flag)))).toHaveLength(50);
  expect(requests).toHaveLength(1);
});

it('a 401 is nobody\u2019s fault in the batch', async () => {
  const { page, requests, explains } = spoilt(() => true, { status: 401 });
  expect(await page(flags(5).map((flag) => question(flag)))).toHaveLength(5);
  expect([requests.length, explains.mock.calls.length]).toEqual([1, 0]);
});

describe('an overload', () => {
  const timeout: Failure = { kind: 'timeout', message: 'late' };

  it('halves the requests under way after a time-out, and allows one more every three seconds', async () => {
    const { clock, ask, requests } = setUp({ maxItems: 1, maxConcurrent: 4 });
    void ask(...flags(20));
    await clock.settle();
    await clock.advance(500);
    for (const { end } of requests.slice(0, 4)) await end(timeout);
    expect(requests).toHaveLength(6);
    await clock.advance(3_000);
    for (const { end } of requests.slice(4, 6)) await end();
    expect(requests).toHaveLength(9);
  });

  it('sends the newest first when the oldest has waited for half of the deadline', async () => {
    const { clock, ask, requests, sent } = setUp({ maxItems: 1, maxConcurrent: 1 });
    void ask('under way', 'old');
    await clock.advance(501);
    void ask('new');
    await requests[0]?.end();
    expect(sent()).toEqual([['under way'], ['new']]);
  });

  it('ends questions whose time is over, and says so', async () => {
    const { clock, layer, ask, requests, shed, reported } = setUp({ maxItems: 1, maxConcurrent: 1 });
    void ask('under way');
    await clock.settle();
    const late = layer.ask(question('late'), 1_000);
    await clock.advance(1_000);
    await requests[0]?.end();
    expect(await late).toMatchObject({ failure: { kind: 'overload' } });
    expect(shed).toHaveBeenCalledExactlyOnceWith('late', 1);
    expect(reported).toHaveBeenCalledExactlyOnceWith({ type: 'shed', reason: 'late', questions: 1 });
  });

  it('is none if the app has blocked its event loop before a question was sent', async () => {
    const clock = manualClock();
    const time = loopTime(clock);
    const release = time.hold();
    const ask = vi.fn<AskAtOnce>((questions) => Promise.resolve(questions.map(answerOf)));
    const layer = batching(
      {
        ...LIMITS,
        overload: { sent: vi.fn(), shed: vi.fn() },
        ask,
        explains: () => Promise.resolve(false),
        deadlineMs: 1_000,
        time,
      },
      runtimeOf(clock),
    );
    const answer = layer.ask(question('a'), time.now() + 1_000);
    clock.block(6_000);
    await clock.settle();
    expect(await answer).toEqual(answerOf(question('a')));
    release();
    expect(clock.timers()).toBe(0);
  });
});
