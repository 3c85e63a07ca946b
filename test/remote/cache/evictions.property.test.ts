import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AnswerStore, type Entry } from '../../../src/remote/cache/answer-store.js';
import { manualClock } from '../../clock.fixture.js';
import { variantAnswer } from '../../provider/mapping/answers.fixture.js';

const KEYS = ['a1', 'a2', 'b1', 'b2', 'b3'];
const WITHIN_MS = 1_000;
/** Room for three entries with these keys, unless one is large. */
const MAX_BYTES = 2_000;

interface Use {
  readonly do: 'set' | 'set large' | 'hit' | 'get' | 'delete' | 'delete flag' | 'clear';
  readonly key: string;
  /** Milliseconds that pass before the step. */
  readonly ms: number;
}

const uses = fc.array(
  fc.record<Use>({
    do: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('set', 'hit') },
      { weight: 1, arbitrary: fc.constantFrom('set large', 'get', 'delete', 'delete flag', 'clear') },
    ),
    key: fc.constantFrom(...KEYS),
    ms: fc.constantFrom(0, 1, 400, 999, 1_000, 2_500),
  }),
  { minLength: 10, maxLength: 60 },
);

const flagOf = (key: string) => key.charAt(0);

function apply(store: AnswerStore, use: Use, now: number): void {
  const { key } = use;
  const held = store.peek(key);
  if (use.do === 'set') store.set(key, flagOf(key), variantAnswer(), { at: now });
  else if (use.do === 'set large')
    store.set(key, flagOf(key), variantAnswer({ attachment: 'x'.repeat(400) }), { at: now });
  else if (use.do === 'hit' && held !== undefined) store.use(held, now);
  else if (use.do === 'get') store.get(key);
  else if (use.do === 'delete') store.delete(key);
  else if (use.do === 'delete flag') store.deleteFlags(new Set([flagOf(key)]));
  else if (use.do === 'clear') store.clear();
}

/** Whether using this entry removes it from the store. */
function removes(use: Use, key: string): boolean {
  return (
    use.do === 'clear' ||
    (use.do === 'delete' && use.key === key) ||
    (use.do === 'delete flag' && flagOf(use.key) === flagOf(key))
  );
}

it('drops the least recently used entry, to within a second, and finds no entry that has left', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), uses, (maxEntries, all) => {
      const store = new AnswerStore({ maxEntries, maxBytes: MAX_BYTES }, manualClock());
      const held = new Set<Entry>();
      const usedAt = new Map<string, number>();
      let now = 0;
      for (const use of all) {
        now += use.ms;
        const before = KEYS.filter((key) => store.peek(key));
        if (use.do.startsWith('set') || before.includes(use.key)) usedAt.set(use.key, now);
        apply(store, use, now);
        const after = KEYS.filter((key) => store.peek(key));
        const timeOf = (key: string) => usedAt.get(key) ?? 0;

        const gone = before.filter((key) => !after.includes(key));
        if (!use.do.startsWith('set')) expect(gone).toEqual(before.filter((key) => removes(use, key)));
        else {
          expect(after).toContain(use.key);
          const oldestKept = Math.min(...after.map(timeOf));
          for (const key of gone) expect(timeOf(key)).toBeLessThan(oldestKept + WITHIN_MS);
        }

        for (const key of after) {
          const entry = store.peek(key);
          if (entry === undefined) continue;
          held.add(entry);
          store.remember(entry, () => ({ entity: key, names: ['targetingKey'], values: [key] }));
        }
        for (const entry of held) {
          const recalled = store.recall(entry.flag, { targetingKey: entry.key });
          expect(recalled === entry).toBe(store.peek(entry.key) === entry);
        }
        expect(store.size().entries).toBe(after.length);
        expect(after.length).toBeLessThanOrEqual(maxEntries);
        expect(store.size().bytes).toBeLessThanOrEqual(MAX_BYTES);
      }
    }),
  );
});
