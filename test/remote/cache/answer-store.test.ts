import { describe, expect, it } from 'vitest';
import { AnswerStore } from '../../../src/remote/cache/answer-store.js';
import type { KnownAnswer } from '../../../src/model/answer.js';
import { manualClock } from '../../clock.fixture.js';
import { heapInUse } from '../../garbage.fixture.js';
import { mapCallsOf } from '../../map-calls.fixture.js';
import { booleanAnswer, variantAnswer } from '../../provider/mapping/answers.fixture.js';

const MB = 1024 * 1024;
const NOW = 0;
const LATER = 1;

describe('the store of answers', () => {
  it('holds at most maxEntries; the least recently used go first', () => {
    const store = new AnswerStore({ maxEntries: 2, maxBytes: MB }, manualClock());
    for (const key of ['a', 'b']) store.set(key, 'flag', booleanAnswer(), { at: NOW });
    store.get('a');
    store.set('c', 'flag', booleanAnswer(), { at: NOW });
    expect(['a', 'b', 'c'].filter((key) => store.get(key))).toEqual(['a', 'c']);
  });

  it('pushes nothing out of a full store for a newer answer to a stored question', () => {
    const store = new AnswerStore({ maxEntries: 2, maxBytes: MB }, manualClock());
    for (const key of ['a', 'b', 'b']) store.set(key, 'flag', booleanAnswer(), { at: NOW });
    expect(['a', 'b'].filter((key) => store.get(key))).toEqual(['a', 'b']);
  });

  it('holds at most maxBytes, counting keys and answers', () => {
    const store = new AnswerStore({ maxEntries: 1000, maxBytes: 50_000 }, manualClock());
    const attachment = 'x'.repeat(9_000);
    const keys = Array.from({ length: 20 }, (_, at) => `key-${at}`);
    for (const key of keys) store.set(key, 'flag', variantAnswer({ attachment }), { at: NOW });
    expect(keys.filter((key) => store.get(key))).toEqual(keys.slice(-5));
  });

  type Kept = readonly [key: string, flag: string, answer: KnownAnswer];
  it.each<[string, (text: string) => Kept]>([
    ['the key', (text: string) => [text, 'flag', booleanAnswer()]],
    ['the attachment', (text: string) => ['k', 'flag', variantAnswer({ attachment: text })]],
    ['segment keys', (text: string) => ['k', 'flag', booleanAnswer({ segmentKeys: [text] })]],
    ['the request id', (text: string) => ['k', 'flag', booleanAnswer({ requestId: text })]],
    ['the flag', (text: string) => ['k', text, { kind: 'missing' }]],
  ])('counts %s in bytes of UTF-8', (_, entry) => {
    const store = new AnswerStore({ maxEntries: 10, maxBytes: 2_700 }, manualClock());
    store.set(...entry('x'.repeat(1_000)), { at: NOW });
    expect(store.some(() => true)).toBe(true);
    store.clear();
    store.set(...entry('\u20ac'.repeat(1_000)), { at: NOW });
    expect(store.some(() => true)).toBe(false);
  });

  it('counts 600 bytes more for each entry, and the key twice, because its question takes as much', () => {
    const keys = Array.from({ length: 200 }, (_, at) => String(100 + at));
    const entryBytes = 2 * '100'.length + 'flag'.length + 600;
    const store = new AnswerStore({ maxEntries: 1_000, maxBytes: 100 * entryBytes }, manualClock());
    for (const key of keys) store.set(key, 'flag', { kind: 'missing' }, { at: NOW });
    expect(keys.filter((key) => store.get(key))).toEqual(keys.slice(-100));
  });

  it('takes hardly more memory than maxBytes, even if answers name many segments', () => {
    const segments = (at: number) =>
      JSON.parse(JSON.stringify(Array.from({ length: 20 }, (_, n) => `${at}-${n}`))) as string[];
    const before = heapInUse();
    const store = new AnswerStore({ maxEntries: 100_000, maxBytes: 8 * MB }, manualClock());
    for (let at = 0; at < 20_000; at++) {
      store.set(`key-${at}`, 'flag', booleanAnswer({ segmentKeys: segments(at) }), { at: NOW });
    }
    expect(store.get('key-19999')).toBeDefined();
    expect(heapInUse() - before).toBeLessThan(1.25 * 8 * MB);
  });

  it('keeps a question of 64 kB, but none that is larger', () => {
    const store = new AnswerStore({ maxEntries: 10, maxBytes: MB }, manualClock());
    const [largest, tooLarge] = ['x'.repeat(64 * 1024), 'x'.repeat(64 * 1024 + 1)];
    store.set(largest, 'flag', booleanAnswer(), { at: NOW });
    store.set(tooLarge, 'flag', booleanAnswer(), { at: NOW });
    expect(store.get(largest)).toBeDefined();
    expect(store.get(tooLarge)).toBeUndefined();
  });

  it('does not keep an older answer if the newer one is too large to keep', () => {
    const store = new AnswerStore({ maxEntries: 10, maxBytes: 2_000 }, manualClock());
    store.set('k', 'flag', variantAnswer({ attachment: 'old' }), { at: NOW });
    store.set('k', 'flag', variantAnswer({ attachment: 'x'.repeat(3_000) }), { at: LATER });
    expect(store.get('k')).toBeUndefined();
  });

  it('marks an answer whose refresh has failed, until a refresh succeeds', () => {
    const store = new AnswerStore({ maxEntries: 10, maxBytes: MB }, manualClock());
    store.markUnconfirmed('k');
    expect(store.get('k')).toBeUndefined();
    store.set('k', 'flag', booleanAnswer(), { at: NOW });
    expect(store.get('k')?.unconfirmed).toBe(false);
    store.markUnconfirmed('k');
    expect(store.get('k')?.unconfirmed).toBe(true);
    store.set('k', 'flag', booleanAnswer(), { at: LATER });
    expect(store.get('k')).toMatchObject({ unconfirmed: false, at: LATER });
  });

  describe('with thousands of answers of one flag', () => {
    const MANY = 300_000;
    const full = (ofFlags = 1) => {
      const clock = manualClock();
      let turns = 0;
      const endOfTurn = (run: () => void) => {
        turns++;
        clock.endOfTurn(run);
      };
      const store = new AnswerStore({ maxEntries: 2 * MANY, maxBytes: 1_000 * MB }, { endOfTurn });
      const changed = booleanAnswer();
      const flagOf = (at: number) => (ofFlags === 1 ? 'flag' : `flag ${at % ofFlags}`);
      for (let at = 0; at < MANY; at++)
        store.set(`${at}`, at === 7 ? 'other' : flagOf(at), changed, { at: NOW });
      return { store, clock, turns: () => turns };
    };

    it('forgets them at once, and removes a few in each turn of the event loop', async () => {
      const { store, clock, turns } = full();
      const calls = mapCallsOf(() => {
        store.deleteFlags(['flag']);
      });
      expect(calls).toBeLessThan(50_000);
      expect(store.size().entries).toBeGreaterThan(MANY - 10_000);
      expect(store.some(({ flag }) => flag === 'flag')).toBe(false);
      expect(['0', '7', `${MANY - 1}`].filter((key) => store.get(key) ?? store.peek(key))).toEqual(['7']);

      await clock.settle();
      expect(turns()).toBeGreaterThan(100);
      expect(store.size().entries).toBe(1);
    });

    it('keeps what arrives while they are removed', async () => {
      const { store, clock } = full();
      store.deleteFlags(['flag']);
      for (const key of ['0', `${MANY - 1}`, 'new']) store.set(key, 'flag', booleanAnswer(), { at: LATER });
      store.deleteFlags(['other']);
      await clock.settle();
      expect(store.size().entries).toBe(3);
      expect(store.get('0')).toMatchObject({ at: LATER });
    });

    it.each([100, 1_000])(
      'removes as few in each turn if %i flags are forgotten one by one',
      async (many) => {
        const { store, clock } = full(many);
        const calls = mapCallsOf(() => {
          for (let at = 0; at < many; at++) store.deleteFlags([`flag ${at}`]);
        });
        expect(calls).toBeLessThan(50_000);
        await clock.settle();
        expect(store.size().entries).toBe(1);
      },
    );

    it('forgets all in the same way', async () => {
      const { store, clock } = full();
      const calls = mapCallsOf(() => {
        store.clear();
      });
      expect(calls).toBeLessThan(50_000);
      expect(['0', '7'].filter((key) => store.get(key))).toEqual([]);
      await clock.settle();
      expect(store.size()).toEqual({ entries: 0, bytes: 0 });
    });
  });

  it('forgets one answer, those of some flags, or all', () => {
    const store = new AnswerStore({ maxEntries: 10, maxBytes: MB }, manualClock());
    const left = () => ['1', '2', '3', '4'].filter((key) => store.get(key));
    store.set('1', 'a', booleanAnswer(), { at: NOW });
    store.set('2', 'a', booleanAnswer(), { at: NOW });
    store.set('3', 'b', booleanAnswer(), { at: NOW });
    store.set('4', 'c', booleanAnswer(), { at: NOW });
    store.deleteFlags(new Set(['a', 'absent']));
    expect(left()).toEqual(['3', '4']);
    store.delete('3');
    expect(left()).toEqual(['4']);
    store.clear();
    expect(left()).toEqual([]);
  });
});
