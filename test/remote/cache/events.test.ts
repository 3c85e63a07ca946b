import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../src/model/events/internal-events.js';
import { failed } from '../../../src/model/answer.js';
import { DOWN, fromCache, on, setUp } from './layered.fixture.js';
import { question } from './questions.fixture.js';

function listening() {
  const layered = setUp();
  const events: string[] = [];
  for (const type of EVENT_TYPES) layered.diagnostics.listen(type, (event) => events.push(event.type));
  return { ...layered, events };
}

describe('the cache reports', () => {
  it('a miss with its question, callers who join it, and fresh hits', async () => {
    const { diagnostics, resolve, answer, events } = listening();
    const misses: unknown[] = [];
    diagnostics.listen('miss', (event) => misses.push(event.question));
    void resolve();
    void resolve();
    await answer(on);
    void resolve();
    expect(events).toEqual(['miss', 'joined', 'hit']);
    expect(misses).toEqual([question('flag')]);
  });

  it('stale hits as such, whether or not a refresh is under way', async () => {
    const { clock, resolve, learn, events } = listening();
    await learn(on);
    await clock.advance(1_000);
    void resolve();
    void resolve();
    expect(events).toEqual(['miss', 'stale-hit', 'stale-hit']);
  });

  it.each([
    ['hit', 0],
    ['stale-hit', 1_000],
  ] as const)(
    'a %s, whose caller gets the answer even if a listener then forgets it',
    async (type, ageMs) => {
      const { clock, resolve, learn, layer, diagnostics } = listening();
      await learn(on);
      await clock.advance(ageMs);
      diagnostics.listen(type, () => {
        layer.forget();
      });
      expect(resolve()).toEqual(fromCache(on, ageMs));
      expect(layer.size().entries).toBe(0);
    },
  );

  it('the same without a cache, but never a hit', async () => {
    const layered = setUp({ cache: undefined });
    const misses: unknown[] = [];
    layered.diagnostics.listen('miss', (event) => misses.push(event));
    await layered.learn(on);
    await layered.learn(failed(DOWN));
    expect(misses).toHaveLength(2);
  });
});
