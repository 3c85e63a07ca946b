import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluator } from '../../src/engine/compile.js';
import type { Semantics } from '../../src/engine/features.js';
import { readFeatures } from '../../src/features/read-features.js';
import { type LocalService, startLocalService } from '../../src/local/index.js';
import { arbitraryFeatures, arbitraryItem } from './arbitrary-features.fixture.js';
import { evaluate } from './requests.fixture.js';

describe.each<Semantics>(['v1', 'v2'])('over HTTP, with the semantics of %s', (semantics) => {
  const engineAnswer = evaluator(semantics);
  let service: LocalService;
  beforeAll(async () => {
    service = await startLocalService({ features: {}, semantics });
  });
  afterAll(() => service.close());

  it('any question about any features has the answer of the engine', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryFeatures,
        fc.array(arbitraryItem, { minLength: 1, maxLength: 20 }),
        async (features, items) => {
          await service.load(features);
          const { namespaces } = await readFeatures(features, semantics);
          const answers = await evaluate(service.url, items);
          items.forEach(({ flagKey: flag, entityId: entity, context: attributes }, index) => {
            const question = { namespace: 'default', flag, entity: entity.toWellFormed(), attributes };
            const expected = engineAnswer(namespaces.get('default'), question);
            expect(inEngineForm(answers[index])).toEqual({
              ...expected,
              kind: undefined,
              requestId: undefined,
            });
          });
        },
      ),
      { numRuns: 100 },
    );
  });
});

/** The members that both have; a missing flag has none. */
function inEngineForm(answer: Readonly<Record<string, unknown>> = {}): object {
  const { match, enabled, variantKey: variant, variantAttachment: attachment, segmentKeys, reason } = answer;
  if (reason === 'NOT_FOUND_ERROR_EVALUATION_REASON') return {};
  const word = String(reason).replace('_EVALUATION_REASON', '');
  return { match, enabled, variant, attachment, segmentKeys, reason: word };
}
