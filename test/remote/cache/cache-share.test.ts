import { expect, it } from 'vitest';
import { AnswerStore } from '../../../src/remote/cache/answer-store.js';
import { manualClock } from '../../clock.fixture.js';
import { booleanAnswer, variantAnswer } from '../../provider/mapping/answers.fixture.js';

const MB = 1024 * 1024;
const OWN = { at: 0 };
const EXTENDED = { at: 0, isExtended: true };

const keysOf = (kind: string, count: number) => Array.from({ length: count }, (_, at) => `${kind}-${at}`);

function filled(limits: Partial<{ maxEntries: number; maxBytes: number }> = {}) {
  const store = new AnswerStore({ maxEntries: 10_000, maxBytes: 100 * MB, ...limits }, manualClock());
  const own = keysOf('own', 10_000);
  for (const key of own) store.set(key, 'flag', booleanAnswer(), OWN);
  const found = (keys: readonly string[]) => keys.filter((key) => store.peek(key) !== undefined);
  return { store, own, found };
}

it('2,000 answers for extended contexts, again and again, leave nine tenths of the others', () => {
  const { store, own, found } = filled();
  const extended = keysOf('extended', 20_000);
  for (const key of extended) store.set(key, 'flag', booleanAnswer(), EXTENDED);
  expect(found(own).length).toBe(9_000);
  expect(found(extended)).toEqual(extended.slice(-1_000));
  for (const key of keysOf('new', 500)) store.set(key, 'flag', booleanAnswer(), OWN);
  for (const key of keysOf('more', 20_000)) store.set(key, 'flag', booleanAnswer(), EXTENDED);
  expect(store.size().entries).toBeLessThanOrEqual(10_000);
  expect(found(keysOf('new', 500))).toHaveLength(500);
});

it('a newer answer for a stored extended context pushes nothing out', () => {
  const store = new AnswerStore({ maxEntries: 20, maxBytes: MB }, manualClock());
  for (const key of ['a', 'b', 'b']) store.set(key, 'flag', booleanAnswer(), EXTENDED);
  expect(['a', 'b'].filter((key) => store.peek(key) !== undefined)).toEqual(['a', 'b']);
});

it('they take a tenth of the bytes, and one that is larger is not kept', () => {
  const { store, own, found } = filled({ maxEntries: 20_000, maxBytes: 10 * MB });
  const before = found(own).length;
  const large = variantAnswer({ attachment: 'x'.repeat(100_000) });
  for (const key of keysOf('extended', 200)) store.set(key, 'flag', large, EXTENDED);
  expect(found(keysOf('extended', 200))).toHaveLength(10);
  expect(found(own).length).toBe(before);
  store.set('huge', 'flag', variantAnswer({ attachment: 'x'.repeat(2 * MB) }), EXTENDED);
  expect(found(['huge'])).toEqual([]);
});

it('one that is used stays, one that was replaced or forgotten takes no room', () => {
  const store = new AnswerStore({ maxEntries: 20, maxBytes: MB }, manualClock());
  for (const key of ['a', 'b']) store.set(key, 'flag', booleanAnswer(), EXTENDED);
  store.get('a');
  store.set('c', 'flag', booleanAnswer(), EXTENDED);
  const present = (...keys: string[]) => keys.filter((key) => store.peek(key) !== undefined);
  expect(present('a', 'b', 'c')).toEqual(['a', 'c']);
  store.set('a', 'flag', booleanAnswer(), OWN);
  store.set('d', 'flag', booleanAnswer(), EXTENDED);
  expect(present('a', 'c', 'd')).toEqual(['a', 'c', 'd']);
  store.delete('c');
  store.set('e', 'flag', booleanAnswer(), EXTENDED);
  expect(present('a', 'd', 'e')).toEqual(['a', 'd', 'e']);
  store.clear();
  expect(store.size().entries).toBe(0);
});
