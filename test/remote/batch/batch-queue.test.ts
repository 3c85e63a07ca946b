import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  WaitingQueue,
  type Decisions,
  type Lane,
  type Waiting,
} from '../../../src/remote/batch/batch-queue.js';
import { questionOf, type Question } from '../../../src/model/answer.js';

const EMPTY_BYTES = 2;
const SIZES = { empty: EMPTY_BYTES, of: () => 1 };
const ANY: Decisions = { maySend: () => true, isLate: () => false, newestFirst: () => false };
const routeOf = ({ namespace }: Question): Lane => ({ name: namespace, apart: false });

function one(namespace: string, at: number, bytes = 1): Waiting {
  const question = questionOf(namespace, String(at), { entity: '', names: [], texts: [] });
  return { question, bytes, askedAt: at, deadline: () => Infinity, answer: () => undefined };
}

function queueOf(all: readonly Waiting[], limits = {}, route: (question: Question) => Lane = routeOf) {
  const queue = new WaitingQueue(
    { maxItems: 50, maxBytes: 1_000, sizes: SIZES, ...limits },
    { laneOf: route },
  );
  for (const one of all) queue.add(one);
  const late: Waiting[] = [];
  const take = (decisions: Partial<Decisions> = {}) => {
    const taken = queue.take({ ...ANY, ...decisions });
    late.push(...(taken?.late ?? []));
    return taken?.batch.map(({ question }) => Number(question.flag));
  };
  return { queue, late, take };
}

const waiting = fc.array(
  fc.record({ namespace: fc.constantFrom('a', 'b', 'c'), bytes: fc.integer({ min: 1, max: 20 }) }),
  { minLength: 1, maxLength: 30 },
);
const limits = fc.record({
  maxItems: fc.integer({ min: 1, max: 6 }),
  maxBytes: fc.integer({ min: 1, max: 50 }),
});

describe('the questions that wait, taken batch by batch', () => {
  it('are all sent, once, in the order of their namespaces, within the limits', () => {
    fc.assert(
      fc.property(waiting, limits, (list, { maxItems, maxBytes }) => {
        const all = list.map(({ namespace, bytes }, at) => one(namespace, at, bytes));
        const { queue } = queueOf(all, { maxItems, maxBytes });
        const sent: Waiting[] = [];
        while (queue.size > 0) {
          const before = queue.size;
          const { batch } = queue.take(ANY)!;
          const bytes = batch.reduce((sum, { bytes: its }) => sum + its, EMPTY_BYTES);
          expect(new Set(batch.map(({ question }) => question.namespace)).size).toBe(1);
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(maxItems);
          if (batch.length > 1) expect(bytes).toBeLessThanOrEqual(maxBytes);
          expect(batch.length + queue.size).toBe(before);
          sent.push(...batch);
        }
        expect(sent[0]).toBe(all[0]);
        for (const namespace of ['a', 'b', 'c']) {
          const of = (some: readonly Waiting[]) =>
            some.filter(({ question }) => question.namespace === namespace);
          expect(of(sent)).toEqual(of(all));
        }
      }),
    );
  });

  it('are not all examined for one request, however many there are', () => {
    let looks = 0;
    const counted = (question: Question) => {
      looks++;
      return routeOf(question);
    };
    const all = Array.from({ length: 10_000 }, (_, at) => one('a', at));
    const { queue, take } = queueOf(all, {}, counted);
    looks = 0;
    expect(take()).toHaveLength(50);
    expect([queue.size, looks]).toEqual([9_950, 50]);
  });

  it('give no batch if none waits', () => {
    expect(queueOf([]).take()).toBeUndefined();
  });

  it('are taken from each namespace in turn', () => {
    const all = ['a', 'a', 'a', 'b', 'b', 'b'].map((namespace, at) => one(namespace, at));
    const { take } = queueOf(all, { maxItems: 2 });
    expect([take(), take(), take(), take()]).toEqual([[0, 1], [3, 4], [2], [5]]);
  });

  it('are taken newest first if the decisions say so', () => {
    const { take } = queueOf(
      [0, 1, 2, 3].map((at) => one('a', at)),
      { maxItems: 2 },
    );
    expect(take({ newestFirst: ({ askedAt }) => askedAt === 0 })).toEqual([3, 2]);
    expect(take({ newestFirst: ({ askedAt }) => askedAt === 1 })).toEqual([0, 1]);
  });
});

describe('a late question', () => {
  const isLate = ({ askedAt }: Waiting) => askedAt < 3;

  it('is removed without being sent when its lane is taken', () => {
    const { queue, late, take } = queueOf([0, 1, 2, 3, 4].map((at) => one('a', at)));
    expect(take({ isLate })).toEqual([3, 4]);
    expect(late).toHaveLength(3);
    expect(queue.size).toBe(0);
  });

  it('is removed from the head of its lane, even without a request', () => {
    const { queue } = queueOf([0, 5, 1].map((at) => one('a', at)));
    expect(queue.takeLate(isLate).map(({ askedAt }) => askedAt)).toEqual([0]);
    expect(queue.size).toBe(2);
  });
});

describe('a question that has become a suspect while it waited', () => {
  it('moves to its own lane, and the others go without it', () => {
    const suspects = new Set<string>();
    const route = ({ namespace, flag }: Question): Lane =>
      suspects.has(flag) ? { name: `suspect ${flag}`, apart: true } : { name: namespace, apart: false };
    const { queue, take } = queueOf(
      [0, 1, 2].map((at) => one('a', at)),
      {},
      route,
    );
    suspects.add('1');
    expect(take({ maySend: ({ apart }) => !apart })).toEqual([0, 2]);
    expect(take({ maySend: ({ apart }) => !apart })).toBeUndefined();
    expect(take()).toEqual([1]);
    expect(queue.size).toBe(0);
  });
});
