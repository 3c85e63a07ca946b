import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HttpDispatcher, HttpDispatcherResponse } from '../../src/index.js';
import type { Resolution } from '../../src/model/answer.js';
import { pipelineOf } from '../provider/pipeline.fixture.js';
import { providerSettings } from '../../src/options/settings.js';
import { manualClock, type ManualClock } from '../clock.fixture.js';
import { askedItems, goodBody, ownAnswer } from './raw-server.fixture.js';

/*
 * Everything except the sockets, with faults, answers, questions and time in any order. The test advances the clock,
 * and a script answers instead of the network.
 */

const TIMEOUT_MS = 500;

type Fate =
  | {
      readonly kind: 'answer' | 'refused' | 'silent' | 'html' | 'short' | 'swapped';
      readonly afterMs: number;
    }
  | { readonly kind: 'status'; readonly status: number; readonly afterMs: number };

type Step =
  | { readonly do: 'ask'; readonly flag: string; readonly entity: string }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'forget' };

const afterMs = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_500 }));
const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer' as const), afterMs }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'refused' as const,
        'silent' as const,
        'html' as const,
        'short' as const,
        'swapped' as const,
      ),
      afterMs,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      status: fc.constantFrom(400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504),
      afterMs,
    }),
  },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      flag: fc.constantFrom('red', 'green', 'blue'),
      entity: fc.constantFrom('ann', 'ben', 'cleo', 'dora'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 40_000 })),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'forget' as const }) },
);

/** Answers instead of the network. */
function scripted(fates: readonly Fate[], clock: ManualClock): HttpDispatcher & { readonly sent: number[] } {
  const sent: number[] = [];
  const respond = (statusCode: number, text: string): HttpDispatcherResponse => ({
    statusCode,
    headers: {},
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  });
  const outcome = (next: Fate, body: string): HttpDispatcherResponse => {
    const good = () => goodBody({ head: '', body, at: 0 });
    switch (next.kind) {
      case 'status':
        return respond(next.status, '');
      case 'html':
        return respond(200, '<html>');
      case 'short':
        return respond(
          200,
          withItems(good(), (items) => items.slice(1)),
        );
      case 'swapped':
        return respond(
          200,
          withItems(good(), (items) => (hasEachFlagOnce(body) ? [...items].reverse() : items)),
        );
      default:
        return respond(200, good());
    }
  };
  return {
    sent,
    request: ({ body, signal }) =>
      new Promise((resolve, reject) => {
        const next = fates[sent.length % Math.max(1, fates.length)] ?? { kind: 'answer', afterMs: 0 };
        sent.push(clock.now());
        signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
        if (next.kind === 'silent') return;
        clock.after(next.afterMs, () => {
          if (next.kind === 'refused') reject(new Error('connect ECONNREFUSED'));
          else resolve(outcome(next, body ?? ''));
        });
      }),
  };
}

/**
 * An answer names its flag but not its entity. The service promises the order of the items, and only the flags can show
 * it.
 */
function hasEachFlagOnce(body: string): boolean {
  const flags = askedItems({ head: '', body, at: 0 }).map(({ flagKey }) => flagKey);
  return new Set(flags).size === flags.length;
}

function withItems(text: string, change: (items: unknown[]) => unknown[]): string {
  const body = JSON.parse(text) as { responses: unknown[] };
  return JSON.stringify({ ...body, responses: change(body.responses) });
}

interface Asked {
  readonly own: string;
  readonly at: number;
  readonly resolved: { readonly resolved: Resolution; readonly at: number }[];
}

it('gives each question one answer, its own, by its deadline, whatever happens in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.array(fate, { maxLength: 30 }),
      fc.boolean(),
      fc.constantFrom(100, 400, 1_000),
      fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      async (steps, fates, batched, deadlineMs, chances) => {
        const clock = manualClock();
        const dispatcher = scripted(fates, clock);
        const quiet = () => undefined;
        const settings = providerSettings({
          url: 'http://flipt.test',
          deadlineMs,
          http: { dispatcher, timeoutMs: TIMEOUT_MS },
          // Twelve questions: memory for thousands takes as long as the test itself.
          cache: { maxEntries: 100 },
          batch: batched ? { maxItems: 4, maxConcurrent: 2, maxWaiting: 6 } : false,
          logger: { error: quiet, warn: quiet, info: quiet, debug: quiet },
        });
        const random = (): number => chances.next().value as number;
        const running = pipelineOf(settings, clock, random);
        const everything: Asked[] = [];
        for (const next of steps) {
          if (next.do === 'wait') await clock.advance(next.ms);
          else if (next.do === 'forget') running.forget();
          else {
            const asked: Asked = { own: ownAnswer(next.flag, next.entity), at: clock.now(), resolved: [] };
            everything.push(asked);
            const context = Object.freeze({ targetingKey: next.entity });
            void Promise.resolve(running.evaluate(next.flag, context)).then((resolved) => {
              asked.resolved.push({ resolved, at: clock.now() });
            });
          }
        }
        await clock.advance(deadlineMs);
        for (const { own, at, resolved } of everything) {
          expect(resolved).toHaveLength(1);
          const [only] = resolved;
          expect((only?.at ?? Infinity) - at).toBeLessThanOrEqual(deadlineMs);
          const answer = only?.resolved.answer;
          if (answer?.kind !== 'failed') expect(answer).toMatchObject({ kind: 'variant', variant: own });
        }
        // However often it is asked, retries, checks and searches never flood the service.
        expect(dispatcher.sent.length).toBeLessThanOrEqual(mostRequests(everything.length, clock.now()));

        await running.close();
        await clock.advance(60_000);
        const after = dispatcher.sent.length;
        await clock.advance(600_000);
        expect(dispatcher.sent).toHaveLength(after);
        expect(clock.timers('awaited')).toBe(0);
        expect(clock.timers('background')).toBe(0);
      },
    ),
    { numRuns: 500 },
  );
}, 60_000);

/** Each question in a batch of its own, searched, retried and sent again after a 401; and a check every five seconds. */
function mostRequests(questions: number, ms: number): number {
  return questions * (1 + 2) * 2 * 2 + Math.ceil(ms / 1_000) + 10;
}
