import { describe, expect, it } from 'vitest';
import { AnswerStore, EqualAnswers } from '../../../src/remote/cache/answer-store.js';
import { manualClock } from '../../clock.fixture.js';
import { variantAnswer } from '../../provider/mapping/answers.fixture.js';

describe('equal answers', () => {
  const stored = (attachment: string) => {
    const store = new AnswerStore({ maxEntries: 10, maxBytes: 1024 * 1024 }, manualClock());
    for (const requestId of ['one', 'two']) {
      store.set(requestId, 'flag', variantAnswer({ attachment, segmentKeys: ['paying'], requestId }), {
        at: 0,
      });
    }
    return ['one', 'two'].map((key) => store.get(key));
  };

  it('are one object in the store, and each keeps the id of its request', () => {
    const [one, two] = stored('{"size":1}');
    expect(one?.answer).toMatchObject({ kind: 'variant', attachment: '{"size":1}', segmentKeys: ['paying'] });
    expect(two?.answer).toBe(one?.answer);
    expect([one?.requestId, two?.requestId]).toEqual(['one', 'two']);
  });

  it('of more than a kilobyte are not compared', () => {
    const [one, two] = stored(JSON.stringify('x'.repeat(1_000)));
    expect(two?.answer).toEqual(one?.answer);
    expect(two?.answer).not.toBe(one?.answer);
  });

  it('are held up to a thousand different ones', () => {
    const equal = new EqualAnswers();
    const of = (variant: number) => equal.same(variantAnswer({ variant: String(variant) }));
    const first = of(0);
    for (let variant = 1; variant < 1_000; variant++) of(variant);
    expect(of(0)).toBe(first);
    of(1_000);
    expect(of(0)).not.toBe(first);
  });
});
