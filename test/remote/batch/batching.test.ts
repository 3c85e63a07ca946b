import { describe, expect, it, vi } from 'vitest';
import type { BatchSettings } from '../../../src/remote/batch/batch-queue.js';
import { Batching } from '../../../src/remote/batch/batching.js';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import type { EventOf } from '../../../src/model/events/internal-events.js';
import { Isolation } from '../../../src/remote/batch/isolation.js';
import { failed, questionOf, type Answer, type AskAtOnce, type Question } from '../../../src/model/answer.js';
import type { Failure } from '../../../src/model/failure.js';
import { batchBody, batchWriter, itemText } from '../../../src/remote/wire/batch-request.js';
import { question } from '../cache/questions.fixture.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { variantAnswer } from '../../provider/mapping/answers.fixture.js';
import { serviceOf } from './isolated.fixture.js';

const SETTINGS: BatchSettings = {
  maxItems: 50,
  maxBytes: 1024 * 1024,
  maxConcurrent: 8,
  maxWaiting: 1_000,
  sizes: batchWriter(undefined).sizes,
};
const CLOSED: Failure = { kind: 'closed', message: 'closed' };

const answerOf = ({ flag }: Question) => variantAnswer({ variant: `of ${flag}` });

/** The layer over requests that the test ends. */
function setUp(more: Partial<BatchSettings> = {}, reference?: string) {
  const clock = manualClock();
  const requests: { questions: readonly Question[]; end: (answers?: readonly Answer[]) => Promise<void> }[] =
    [];
  const askAtOnce: AskAtOnce = (questions) =>
    new Promise((resolve) => {
      const end = async (answers: readonly Answer[] = questions.map(answerOf)) => {
        resolve(answers);
        await clock.settle();
      };
      requests.push({ questions, end });
    });
  const diagnostics = openDiagnostics();
  const shed = vi.fn<(event: EventOf<'shed'>) => void>();
  diagnostics.listen('shed', shed);
  const runtime = runtimeOf(clock, diagnostics);
  const isolation = new Isolation(serviceOf(askAtOnce), runtime);
  const layer = new Batching(
    isolation,
    { ...SETTINGS, ...more, sizes: batchWriter(reference).sizes },
    runtime,
  );
  const ask = (...flags: string[]) => flags.map((flag) => layer.ask(question(flag)));
  const sent = () => requests.map(({ questions }) => questions.map(({ flag }) => flag));
  return { clock, layer, ask, requests, sent, shed };
}

const flags = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);

describe('questions', () => {
  it('of one turn of the event loop are sent together, and each gets its own answer', async () => {
    const { clock, ask, requests, sent } = setUp();
    const answers = ask('a', 'b', 'c');
    expect(sent()).toEqual([]);
    await clock.settle();
    expect(sent()).toEqual([['a', 'b', 'c']]);
    await requests[0]!.end();
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
    await requests[1]!.end();
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

  it.each([
    ['an answer too few', 1],
    ['an answer too many', 3],
  ])('never get the answer of another question if there is %s', async (_, count) => {
    const { clock, ask, requests } = setUp();
    const answers = ask('a', 'b');
    await clock.settle();
    await requests[0]!.end(flags(count).map((variant) => variantAnswer({ variant })));
    const second = count === 1 ? { kind: 'failed', failure: { kind: 'unreadable' } } : { variant: 'f1' };
    expect(await Promise.all(answers)).toMatchObject([{ variant: 'f0' }, second]);
  });

  it('get an answer even if the layer below is defective and rejects', async () => {
    const clock = manualClock();
    const isolation = new Isolation(
      serviceOf(() => Promise.reject(new Error('defect'))),
      runtimeOf(clock),
    );
    const layer = new Batching(isolation, SETTINGS, runtimeOf(clock));
    const answer = layer.ask(question('a'));
    await clock.settle();
    expect(await answer).toMatchObject({ kind: 'failed' });
  });
});

describe('a request', () => {
  it.each([undefined, 'main'])(
    'is never larger than maxBytes in UTF-8 (reference: %s)',
    async (reference) => {
      const maxBytes = 600;
      const { clock, ask, requests } = setUp({ maxBytes }, reference);
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

  it('holds questions of one namespace only', async () => {
    const { clock, layer, requests } = setUp();
    const subject = { entity: 'u', names: [], texts: [] };
    for (const namespace of ['one', 'two', 'one', 'two', 'three']) {
      void layer.ask(questionOf(namespace, 'flag', subject));
    }
    await clock.settle();
    expect(requests.map(({ questions }) => questions.map(({ namespace }) => namespace))).toEqual([
      ['one', 'one'],
      ['two', 'two'],
      ['three'],
    ]);
  });
});

describe('a question that is larger than maxBytes', () => {
  it.each([
    { part: 'the attribute "blob"', asked: question('f', 'u', { small: 'x', blob: '\u20ac'.repeat(100) }) },
    { part: 'the targetingKey', asked: question('f', 'u'.repeat(300)) },
    { part: 'the flag key', asked: question('f'.repeat(300)) },
  ])('is refused with both sizes, and names $part', async ({ part, asked }) => {
    const { clock, layer, ask, sent } = setUp({ maxBytes: 300 });
    void ask('a');
    const answer = layer.ask(asked);
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
    void layer.ask(asked);
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
    for (let at = 0; at < 3; at++) await requests[at]!.end();
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
    await requests[0]!.end();
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
    const then = vi.fn<(answer: Answer) => Promise<Answer>>(() => layer.ask(question('b')));
    void layer.ask(question('a')).then(then);
    await clock.settle();
    await requests[0]!.end();
    expect(sent()).toEqual([['a'], ['b']]);
  });
});
