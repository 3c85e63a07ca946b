import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFeatures, evaluate } from '../../src/engine/compiled-features.js';
import { contentsOf } from '../snapshot/contents.fixture.js';
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

  it('answer after a change as if they had just been compiled', () => {
    fc.assert(
      fc.property(
        arbitraryFeatures,
        arbitraryFeatures,
        fc.boolean(),
        questions,
        (before, other, both, asked) => {
          const after = { flags: both ? other.flags : before.flags, segments: other.segments };
          const compiled = compileFeatures(before, semantics);
          for (const question of asked) evaluate(compiled, question);
          const [old, young] = [contentsOf(before, semantics), contentsOf(after, semantics)];
          const known = [...compiled.compiled].filter(([key]) => old.get(key) === young.get(key));
          const next = compileFeatures(after, semantics, known);
          for (const question of asked) {
            expect(evaluate(next, question)).toEqual(plainlyEvaluate(after, question, semantics));
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
