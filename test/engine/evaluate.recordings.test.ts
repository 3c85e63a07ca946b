import { describe, expect, it } from 'vitest';
import { evaluator } from '../../src/engine/compile.js';
import { casesOf, isAsRecorded, namespacesOf, questionOf, RECORDINGS } from './recordings.fixture.js';

describe('the engine answers as the recorded service did', () => {
  it.each(RECORDINGS)('$name, $semantics: 1,500 of 1,500', async (recording) => {
    const evaluate = evaluator(recording.semantics);
    const namespaces = await namespacesOf(recording);
    const cases = casesOf(recording);
    expect(cases).toHaveLength(1500);

    const different = cases.flatMap((recorded) => {
      const question = questionOf(recorded);
      const answer = evaluate(namespaces.get(question.namespace), question);
      return isAsRecorded(recorded, answer) ? [] : [{ recorded, answer }];
    });

    expect(different).toEqual([]);
  });
});
