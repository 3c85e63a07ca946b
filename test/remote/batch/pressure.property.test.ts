import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Batching } from '../../../src/remote/batch/batching.js';
import { Isolation } from '../../../src/remote/batch/isolation.js';
import type { Answer, AskAtOnce, Question } from '../../../src/model/answer.js';
import { question } from '../cache/questions.fixture.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { answerOf, serviceOf, SIZES, spoilt } from './isolated.fixture.js';

const LIMITS = { maxItems: 20, maxBytes: 1_000, maxConcurrent: 8, maxWaiting: 1_000, sizes: SIZES };
/** Most requests at once: of batches, and extra ones. */
const MOST_AT_ONCE = 8 + 8;
const FLAGS = 10;

interface Schedule {
  readonly latencies: readonly number[];
  readonly workers: number;
  readonly broken: readonly number[];
  readonly refused: readonly number[];
  readonly arrivals: readonly { readonly gapMs: number; readonly count: number; readonly patience: number }[];
}

/** The layers over a service with so many workers, on the injected clock. */
async function played({ latencies, workers, broken, refused, arrivals }: Schedule, patienceMs: number) {
  const clock = manualClock();
  const deadlines = new Map<Question, number>();
  const lateWhenSent: (readonly Question[])[] = [];
  let idleWhileWaiting = 0;
  let underWay = 0;
  let requests = 0;
  let busy = 0;
  const line: (() => void)[] = [];

  const status = (questions: readonly Question[]) => {
    if (questions.some(({ flag }) => broken.includes(Number(flag)))) return 500;
    return questions.some(({ entity }) => refused.includes(Number(entity))) ? 400 : undefined;
  };
  const serve: AskAtOnce = async (questions) => {
    const latencyMs = latencies[requests++ % latencies.length] ?? 1;
    if (busy >= workers) await new Promise<void>((start) => line.push(start));
    else busy++;
    await new Promise<void>((done) => {
      clock.after(latencyMs, done);
    });
    const next = line.shift();
    if (next === undefined) busy--;
    else next();
    const failed = status(questions);
    return failed === undefined ? questions.map(answerOf) : spoilt(failed);
  };
  const askAtOnce: AskAtOnce = async (questions) => {
    underWay++;
    if (questions.every((one) => (deadlines.get(one) ?? 0) <= clock.now())) lateWhenSent.push(questions);
    const outcome = await serve(questions);
    underWay--;
    return outcome;
  };

  let serviceFailures = 0;
  const service = serviceOf(askAtOnce, {
    askPart: serve,
    serviceFailed: () => {
      serviceFailures++;
    },
  });
  const runtime = runtimeOf(clock);
  const isolation = new Isolation(service, runtime);
  const layer = new Batching(isolation, LIMITS, runtime);
  const answers = new Map<Question, Answer>();
  let asked = 0;

  for (const { gapMs, count, patience } of arrivals) {
    await clock.advance(gapMs);
    for (let at = 0; at < count; at++, asked++) {
      const one = question(String(asked % FLAGS), String(asked));
      const until = clock.now() + patience * patienceMs;
      deadlines.set(one, until);
      void layer.ask(one, () => until).then((answer) => answers.set(one, answer));
    }
    await clock.settle();
    if (layer.waiting() > 0 && underWay < LIMITS.maxConcurrent) idleWhileWaiting++;
  }
  // Long enough for every request, every division and every suspect.
  await clock.advance(300_000);
  const isInnocent = (one: Question) => status([one]) === undefined;
  const failedInnocents = [...answers].filter(([one, { kind }]) => isInnocent(one) && kind === 'failed');
  return {
    asked,
    answers,
    lateWhenSent,
    idleWhileWaiting,
    failedInnocents,
    serviceFailures,
    left: { waiting: layer.waiting(), suspects: isolation.suspectCount(), underWay, timers: clock.timers() },
  };
}

const scheduleOf = (more: {
  arrival: fc.Arbitrary<Schedule['arrivals'][number]>;
  workers: fc.Arbitrary<number>;
}) =>
  fc.record({
    latencies: fc.array(fc.integer({ min: 20, max: 100 }), { minLength: 1, maxLength: 5 }),
    workers: more.workers,
    broken: fc.uniqueArray(fc.nat(FLAGS - 1), { maxLength: 2 }),
    refused: fc.uniqueArray(fc.nat(300), { maxLength: 6 }),
    arrivals: fc.array(more.arrival, { minLength: 5, maxLength: 80 }),
  });

const NOTHING = { waiting: 0, suspects: 0, underWay: 0, timers: 0 };

it('answers every innocent question while the service has capacity for it', async () => {
  const schedule = scheduleOf({
    workers: fc.integer({ min: 4, max: 16 }),
    // At least 4 workers with 20 questions in 100 ms answer 800 a second: ten times the average load.
    arrival: fc.record({
      gapMs: fc.integer({ min: 0, max: 100 }),
      count: fc.integer({ min: 1, max: 7 }),
      patience: fc.integer({ min: 12, max: 30 }),
    }),
  });
  await fc.assert(
    fc.asyncProperty(schedule, async (drawn) => {
      const responseMs = (Math.max(...drawn.latencies) * MOST_AT_ONCE) / drawn.workers;
      const { asked, answers, failedInnocents, serviceFailures, lateWhenSent, left } = await played(
        drawn,
        responseMs,
      );
      expect(answers.size).toBe(asked);
      expect(failedInnocents).toEqual([]);
      expect(serviceFailures).toBe(0);
      expect(lateWhenSent).toEqual([]);
      expect(left).toEqual(NOTHING);
    }),
    { numRuns: 150 },
  );
});

it('sends nothing that nobody waits for, and leaves no request idle, under any load', async () => {
  const schedule = scheduleOf({
    workers: fc.integer({ min: 1, max: 16 }),
    arrival: fc.record({
      gapMs: fc.integer({ min: 0, max: 100 }),
      count: fc.integer({ min: 0, max: 150 }),
      patience: fc.integer({ min: 1, max: 20 }),
    }),
  });
  await fc.assert(
    fc.asyncProperty(schedule, async (drawn) => {
      const healthy = { ...drawn, broken: [], refused: [] };
      for (const played_ of [await played(drawn, 50), await played(healthy, 50)]) {
        expect(played_.answers.size).toBe(played_.asked);
        expect(played_.lateWhenSent).toEqual([]);
        expect(played_.left).toEqual(NOTHING);
      }
      expect((await played(healthy, 50)).idleWhileWaiting).toBe(0);
    }),
    { numRuns: 60 },
  );
});
