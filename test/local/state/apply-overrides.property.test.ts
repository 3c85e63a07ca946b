import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluator } from '../../../src/engine/compile.js';
import { readFeatures } from '../../../src/features/read-features.js';
import { FlagOverrides } from '../../../src/local/state/flag-overrides.js';
import { Store } from '../../../src/local/state/state-store.js';
import { arbitraryFeatures, arbitraryItem } from '../arbitrary-features.fixture.js';
import { fixedStamp } from '../requests.fixture.js';

const entity = fc.option(fc.constantFrom('e1', 'e2', 'é🎈'), { nil: undefined });

describe.each(['v1', 'v2'] as const)('with the rules of %s', (semantics) => {
  const evaluate = evaluator(semantics);

  it('any override decides for those it is for and for nobody else, and the reset gives back what was there', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryFeatures,
        arbitraryItem,
        entity,
        fc.boolean(),
        async (features, item, forEntity, chance) => {
          const namespaces = await readFeatures(features, semantics, fixedStamp());
          const overrides = new FlagOverrides(new Store({ namespaces, tokens: new Map() }), fixedStamp());
          const answer = () =>
            evaluate(overrides.served('default'), {
              namespace: 'default',
              flag: item.flagKey,
              entity: item.entityId,
              attributes: item.context,
            });
          const before = answer();
          const target = { namespaceKey: 'default', flagKey: item.flagKey, entity: forEntity };
          const problem = overrides.set(target, before.kind === 'boolean' ? chance : 'b');
          const after = answer();

          if (before.kind === 'missing') expect([problem?.kind, after.kind]).toEqual(['missing', 'missing']);
          else if (forEntity === undefined || forEntity === item.entityId) {
            expect(after).toMatchObject(after.kind === 'boolean' ? { enabled: chance } : { variant: 'b' });
          } else if (before.kind === 'variant' && before.reason === 'FLAG_DISABLED') {
            // The flag must be enabled for the one entity. All others still get the caller's default.
            expect(after).toMatchObject({ match: false, variant: '', reason: 'UNKNOWN' });
          } else expect(after).toEqual(before);

          overrides.reset();
          expect(overrides.served('default')).toBe(namespaces.get('default'));
        },
      ),
      { numRuns: 500 },
    );
  });
});
