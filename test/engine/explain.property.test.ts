import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFeatures, evaluate } from '../../src/engine/compile.js';
import { explain, explainedAnswer } from '../../src/engine/explain.js';
import { explanationText } from '../../src/engine/explanation-text.js';
import { arbitraryFeatures, arbitraryQuestion } from './arbitrary-features.fixture.js';
import { impliedAnswer } from './implied-answer.fixture.js';

describe.each(['v1', 'v2'] as const)('any explanation, %s', (semantics) => {
  it('decides as evaluation does, is plain JSON, and gives a reason for each constraint that does not match', () => {
    fc.assert(
      fc.property(arbitraryFeatures, fc.array(arbitraryQuestion, { minLength: 1 }), (features, questions) => {
        const compiled = compileFeatures(features, semantics);
        for (const question of questions) {
          const explanation = explain(compiled, question);
          expect(explanation.answer).toEqual(explainedAnswer(evaluate(compiled, question)));
          expect(explanation.answer).toMatchObject(impliedAnswer(explanation));
          expect(JSON.parse(JSON.stringify(explanation))).toStrictEqual(explanation);
          expect(explanationText(explanation)).not.toMatch(/undefined|[^\P{Cc}\n]/u);
          const segments = explanation.steps.flatMap((step) =>
            step.kind === 'threshold' ? [] : step.segments,
          );
          for (const { matched, why } of segments.flatMap(({ constraints }) => constraints)) {
            expect(why === undefined).toBe(matched);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
