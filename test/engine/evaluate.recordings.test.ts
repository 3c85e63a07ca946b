import { describe, expect, it } from 'vitest';
import { evaluator } from '../../src/engine/compiled-features.js';
import {
  casesOf,
  comparable,
  namespacesOf,
  questionOf,
  RECORDINGS,
  recordedForm,
} from './recordings.fixture.js';

describe('the engine answers as the recorded service did', () => {
  it.each(RECORDINGS)('$name, $semantics: 1,500 of 1,500', async (recording) => {
    const evaluate = evaluator(recording.semantics);
    const namespaces = await namespacesOf(recording);
    const cases = casesOf(recording);
    expect(cases).toHaveLength(1500);

    const different = cases.flatMap((recorded) => {
      const question = questionOf(recorded);
      const answer = evaluate(namespaces.get(question.namespace), question);
      const ours = comparable(recordedForm(recorded, answer));
      const theirs = comparable(recorded.response);
      return JSON.stringify(sorted(ours)) === JSON.stringify(sorted(theirs)) ? [] : [{ recorded, ours }];
    });

    expect(different).toEqual([]);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, member]) => [key, sorted(member)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
}
