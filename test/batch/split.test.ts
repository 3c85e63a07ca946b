import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextBatch, type Waiting } from '../../src/batch/split.js';
import { questionOf, type Question } from '../../src/model/question.js';

const EMPTY_BYTES = 2;
const laneOf = ({ namespace }: Question) => namespace;
const waiting = fc.array(
  fc.record({ namespace: fc.constantFrom('a', 'b', 'c'), bytes: fc.integer({ min: 1, max: 20 }) }),
  { minLength: 1, maxLength: 30 },
);
const limits = fc.record({
  maxItems: fc.integer({ min: 1, max: 6 }),
  maxBytes: fc.integer({ min: 1, max: 50 }),
});

function one({ namespace, bytes }: { namespace: string; bytes: number }, at: number): Waiting {
  const question = questionOf(namespace, String(at), { entity: '', names: [], texts: [] });
  return { question, bytes, answer: () => undefined };
}

describe('the questions that wait, taken batch by batch', () => {
  it('are all sent, once, in the order of their namespaces, within the limits', () => {
    fc.assert(
      fc.property(waiting, limits, (list, { maxItems, maxBytes }) => {
        const all = list.map(one);
        const sent: Waiting[] = [];
        let left = all;
        while (left.length > 0) {
          const { batch, rest } = nextBatch(left, { maxItems, maxBytes }, EMPTY_BYTES, laneOf);
          const bytes = batch.reduce((sum, one) => sum + one.bytes, EMPTY_BYTES);
          expect(batch[0]).toBe(left[0]);
          expect(new Set(batch.map(({ question }) => question.namespace)).size).toBe(1);
          expect(batch.length).toBeLessThanOrEqual(maxItems);
          if (batch.length > 1) expect(bytes).toBeLessThanOrEqual(maxBytes);
          expect(batch.length + rest.length).toBe(left.length);
          sent.push(...batch);
          left = rest;
        }
        for (const namespace of ['a', 'b', 'c']) {
          const of = (some: readonly Waiting[]) =>
            some.filter(({ question }) => question.namespace === namespace);
          expect(of(sent)).toEqual(of(all));
        }
      }),
    );
  });

  it('are not all looked at for one request, however many they are', () => {
    const all = Array.from({ length: 10_000 }, (_, at) => one({ namespace: 'a', bytes: 1 }, at));
    let looks = 0;
    const counted = (question: Question) => {
      looks++;
      return laneOf(question);
    };
    const { batch, rest } = nextBatch(all, { maxItems: 50, maxBytes: 1_000 }, EMPTY_BYTES, counted);
    expect([batch.length, rest.length, looks]).toEqual([50, 9_950, 51]);
  });

  it('give nothing where nothing waits', () => {
    expect(nextBatch([], { maxItems: 1, maxBytes: 1 }, 0, laneOf)).toEqual({ batch: [], rest: [] });
  });
});
