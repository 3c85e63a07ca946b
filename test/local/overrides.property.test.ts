import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useServices } from './running.fixture.js';
import { arbitraryFeatures, arbitraryItem } from './arbitrary-features.fixture.js';
import { evaluate } from './requests.fixture.js';

const start = useServices();
const entity = fc.option(fc.constantFrom('e1', 'e2', 'é🎈'), { nil: undefined });

describe.each(['v1', 'v2'] as const)('with the rules of %s', (semantics) => {
  it('any override decides for those it is for and for nobody else, and the reset gives back what was there', async () => {
    const service = await start({ features: {}, semantics });
    await fc.assert(
      fc.asyncProperty(
        arbitraryFeatures,
        arbitraryItem,
        entity,
        fc.boolean(),
        async (features, item, forEntity, chance) => {
          await service.load(features);
          const answer = async () => {
            const [answered = {}] = await evaluate(service.url, [item]);
            return { ...answered, timestamp: '', requestDurationMillis: 0 } as Record<string, unknown>;
          };
          const before = await answer();
          const set = () => {
            const value = 'enabled' in before ? chance : 'b';
            service.set(item.flagKey, value, forEntity === undefined ? {} : { for: forEntity });
          };
          if (before.reason === 'NOT_FOUND_ERROR_EVALUATION_REASON') expect(set).toThrow('not found');
          else {
            set();
            const after = await answer();
            if (forEntity === undefined || forEntity === item.entityId) {
              expect(after).toMatchObject('enabled' in after ? { enabled: chance } : { variantKey: 'b' });
            } else if (before.reason === 'FLAG_DISABLED_EVALUATION_REASON') {
              // The flag must be enabled for the one entity. All others still get the caller's default.
              expect(after).toMatchObject({ match: false, variantKey: '' });
            } else expect(after).toEqual(before);
          }
          service.reset();
          expect(await answer()).toEqual(before);
        },
      ),
      { numRuns: 200 },
    );
  });
});
