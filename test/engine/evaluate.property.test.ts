import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFeatures, evaluate } from '../../src/engine/compile.js';
import { arbitraryFeatures, arbitraryQuestion } from './arbitrary-features.fixture.js';
import { plainlyEvaluate } from './plain-evaluation.fixture.js';

const questions = fc.array(arbitraryQuestion, { minLength: 1, maxLength: 20 });

describe.each(['v1', 'v2'] as const)('compiled features, %s', (semantics) => {
  it('answer as the rules do when they are followed step by step', () => {
    fc.assert(
      fc.property(arbitraryFeatures, questions, (features, asked) => {
        const compiled = compileFeatures(features, semantics);
        for (const question of asked) {
          expect(evaluate(compiled, question)).toEqual(plainlyEvaluate(features, question, semantics));
        }
      }),
      { numRuns: 500 },
    );
  });
});
