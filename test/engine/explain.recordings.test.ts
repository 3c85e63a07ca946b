import { describe, expect, it } from 'vitest';
import { compileFeatures, evaluate } from '../../src/engine/compile.js';
import { explain, explainedAnswer } from '../../src/engine/explain.js';
import type { Explanation } from '../../src/engine/explanation.js';
import { casesOf, namespacesOf, questionOf, RECORDINGS } from './recordings.fixture.js';
import { impliedAnswer } from './implied-answer.fixture.js';

describe('an explanation decides as evaluation does', () => {
  it.each(RECORDINGS)('$name, $semantics: 1,500 of 1,500', async (recording) => {
    const namespaces = await namespacesOf(recording);
    const compiled = new Map(
      [...namespaces].map(([key, features]) => [key, compileFeatures(features, recording.semantics)]),
    );
    const questions = casesOf(recording).map(questionOf);
    expect(questions).toHaveLength(1500);

    const decisions = new Set<string>();
    for (const question of questions) {
      const features = compiled.get(question.namespace);
      const explanation = explain(features, question);
      expect(explanation.answer).toEqual(explainedAnswer(evaluate(features, question)));
      expect(explanation.answer).toMatchObject(impliedAnswer(explanation));
      expect(applied(explanation)).toEqual(
        explanation.decidedBy.by === 'step' ? [explanation.decidedBy.number] : [],
      );
      decisions.add(explanation.decidedBy.by);
    }
    expect([...decisions].sort()).toEqual(['disabled', 'missing', 'none', 'step']);
  });
});

function applied({ steps }: Explanation): readonly number[] {
  return steps.flatMap(({ outcome }, at) => (outcome === 'applied' ? [at + 1] : []));
}
