import fc from 'fast-check';
import { LIST_OPERATORS, OPERATORS } from '../../src/engine/constraint-match.js';
import { COMPARISON_TYPES, type ComparisonType } from '../../src/engine/features.js';
import type { FeaturesDocument, FlagDocument, SegmentDocument } from '../../src/local/index.js';

const SEGMENT_KEYS = ['s0', 's1', 's2', 's3'] as const;
const VARIANT_KEYS = ['a', 'b', 'c'] as const;
const ATTRIBUTES = ['plan', 'age', 'since', 'beta'] as const;
export const FLAG_KEYS = ['f0', 'f1', 'f2', 'f3'] as const;

const values = fc.constantFrom('', 'pro', 'free', '18', '1e3', '2024-01-01', 'true', 'x'.repeat(50), 'é🎈');
const operator = fc.constantFrom('OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR');

/** Values that a constraint of each type may have, and the values of the operators for lists. */
const COMPARED: Readonly<Record<ComparisonType, readonly string[]>> = {
  STRING_COMPARISON_TYPE: ['pro', 'p', 'é'],
  ENTITY_ID_COMPARISON_TYPE: ['e1', 'e'],
  NUMBER_COMPARISON_TYPE: ['18', '0.5', '-inf'],
  DATETIME_COMPARISON_TYPE: ['2024-01-01', '2023-12-31T23:59:59.5Z'],
  BOOLEAN_COMPARISON_TYPE: [''],
};
const listed = (type: ComparisonType) =>
  type === 'NUMBER_COMPARISON_TYPE' ? ['[18, 0.5]'] : ['["pro", "e1"]', '["é"]'];

const constraint = fc.oneof(
  ...COMPARISON_TYPES.flatMap((type) =>
    OPERATORS[type].map((operator) =>
      fc.record({
        type: fc.constant(type),
        property: fc.constantFrom(...(type === 'ENTITY_ID_COMPARISON_TYPE' ? ['entityId'] : ATTRIBUTES)),
        operator: fc.constant(operator),
        value: fc.constantFrom(...(LIST_OPERATORS.includes(operator) ? listed(type) : COMPARED[type])),
      }),
    ),
  ),
);

const segment = (key: string): fc.Arbitrary<SegmentDocument> =>
  fc.record({
    key: fc.constant(key),
    match_type: fc.constantFrom('ALL_MATCH_TYPE', 'ANY_MATCH_TYPE'),
    constraints: fc.array(constraint, { maxLength: 3 }),
  });

const keys = fc.uniqueArray(fc.constantFrom(...SEGMENT_KEYS), { minLength: 1 });
const percent = fc.constantFrom(0, 0.1, 10, 33.33, 50, 99.9, 100);

const variantFlag = (key: string): fc.Arbitrary<FlagDocument> =>
  fc.record({
    key: fc.constant(key),
    enabled: fc.boolean(),
    variants: fc.constantFrom(undefined, ...VARIANT_KEYS).map((chosen) =>
      VARIANT_KEYS.map((variant) => ({
        key: variant,
        default: variant === chosen,
        ...(variant !== 'c' && { attachment: { variant } }),
      })),
    ),
    rules: fc.array(
      fc.record({
        segment: fc.oneof(fc.constantFrom(...SEGMENT_KEYS), fc.record({ keys, operator })),
        distributions: fc.array(fc.record({ variant: fc.constantFrom(...VARIANT_KEYS), rollout: percent }), {
          maxLength: 3,
        }),
      }),
      { maxLength: 3 },
    ),
  });

const booleanFlag = (key: string): fc.Arbitrary<FlagDocument> =>
  fc.record({
    key: fc.constant(key),
    type: fc.constant('BOOLEAN_FLAG_TYPE' as const),
    enabled: fc.boolean(),
    rollouts: fc.array(
      fc.oneof(
        fc.record({ threshold: fc.record({ percentage: percent, value: fc.boolean() }) }),
        fc.record({ segment: fc.record({ keys, operator, value: fc.boolean() }) }),
      ),
      { maxLength: 3 },
    ),
  });

/** Any features of one namespace: all segments and flags with these keys and any content. */
export const arbitraryFeatures: fc.Arbitrary<FeaturesDocument> = fc.record({
  segments: fc.tuple(...SEGMENT_KEYS.map(segment)),
  flags: fc.tuple(...FLAG_KEYS.map((key) => fc.oneof(variantFlag(key), booleanFlag(key)))),
});

/** Any question, in the service's form, about those features. */
export const arbitraryItem = fc.record({
  flagKey: fc.constantFrom(...FLAG_KEYS, 'gone'),
  entityId: fc.oneof(fc.constantFrom('', 'e1', 'e2', 'é🎈'), fc.string()),
  context: fc.dictionary(fc.constantFrom(...ATTRIBUTES), values),
});
