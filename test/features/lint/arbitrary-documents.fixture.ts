import fc from 'fast-check';
import type { Question } from '../../../src/model/answer.js';
import { OPERATORS } from '../../../src/engine/constraint-match.js';
import { COMPARISON_TYPES, type ComparisonType } from '../../../src/engine/features.js';
import type {
  ConstraintDocument,
  FeaturesDocument,
  FlagDocument,
  SegmentDocument,
} from '../../../src/local/index.js';

const SEGMENT_KEYS = ['s0', 's1', 's2', 's3'] as const;
const VARIANT_KEYS = ['a', 'b', 'c'] as const;
const ATTRIBUTES = ['plan', 'age'] as const;
const FLAG_KEYS = ['f0', 'f1', 'f2'] as const;
const TEXTS = [
  'pro',
  'free',
  'pr',
  ' pro',
  'pro ',
  ' ',
  '1',
  '18',
  'true',
  'T',
  'false',
  '2024-01-01',
] as const;
const NUMBERS = ['1', '18', '1e3', '-inf', 'inf', 'NaN', '0.5'] as const;
const DATES = ['2024-01-01', '2023-12-31T23:59:59.5Z', '2024-01-01T01:00:00+01:00'] as const;
const LISTS: Readonly<Record<string, readonly string[]>> = {
  STRING_COMPARISON_TYPE: ['["pro","free"]', '[]', '[""]', '["pro"]', '["18"," "]'],
  ENTITY_ID_COMPARISON_TYPE: ['["pro","18"]', '[]', '["free"]'],
  NUMBER_COMPARISON_TYPE: ['[1,18]', '[]', '[1000]', '[0.5]'],
};

function valuesFor(type: ComparisonType, operator: string): readonly string[] {
  if (operator === 'isoneof' || operator === 'isnotoneof') return LISTS[type] ?? [];
  if (type === 'NUMBER_COMPARISON_TYPE') return NUMBERS;
  if (type === 'DATETIME_COMPARISON_TYPE') return DATES;
  return type === 'BOOLEAN_COMPARISON_TYPE' ? [''] : TEXTS;
}

/** Any constraint that Flipt accepts. It has one of few values of few attributes, so that constraints often meet. */
export const arbitraryConstraint: fc.Arbitrary<ConstraintDocument> = fc
  .constantFrom(...COMPARISON_TYPES)
  .chain((type) =>
    fc.constantFrom(...OPERATORS[type]).chain((operator) =>
      fc.record({
        type: fc.constant(type),
        property:
          type === 'ENTITY_ID_COMPARISON_TYPE' ? fc.constant('entityId') : fc.constantFrom(...ATTRIBUTES),
        operator: fc.constant(operator),
        value: fc.constantFrom(...valuesFor(type, operator)),
      }),
    ),
  );

const segment = (key: string): fc.Arbitrary<SegmentDocument> =>
  fc.record({
    key: fc.constant(key),
    match_type: fc.constantFrom('ALL_MATCH_TYPE', 'ANY_MATCH_TYPE'),
    constraints: fc.array(arbitraryConstraint, { maxLength: 4 }),
  });

const operator = fc.constantFrom('OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR');
const keys = fc.uniqueArray(fc.constantFrom(...SEGMENT_KEYS), { minLength: 1, maxLength: 3 });
const percent = fc.constantFrom(0, 1e-50, 0.01, 0.1, 10, 33.33, 33.34, 50, 60, 99.9, 100, 100);

const variants = fc.uniqueArray(fc.constantFrom(...VARIANT_KEYS), { maxLength: 3 }).chain((chosen) =>
  fc.constantFrom(undefined, ...chosen).map((byDefault) =>
    chosen.map((key) => ({
      key,
      default: key === byDefault,
      attachment: key === 'c' ? '{"quoted":1}' : { key },
    })),
  ),
);

const rules = (variantKeys: readonly string[]): fc.Arbitrary<NonNullable<FlagDocument['rules']>> =>
  fc.array(
    fc.record({
      segment: fc.oneof(fc.constantFrom(...SEGMENT_KEYS), fc.record({ keys, operator })),
      rank: fc.constantFrom(null, null, 0, 1, 2, 3),
      distributions:
        variantKeys.length === 0
          ? fc.constant([])
          : fc.array(fc.record({ variant: fc.constantFrom(...variantKeys), rollout: percent }), {
              maxLength: 3,
            }),
    }),
    { maxLength: 3 },
  );

const rollouts = fc.array(
  fc.oneof(
    fc.record({ threshold: fc.record({ percentage: percent, value: fc.boolean() }) }),
    fc.record({ segment: fc.record({ keys, operator, value: fc.boolean() }) }),
  ),
  { maxLength: 3 },
);

const flag = (key: string): fc.Arbitrary<FlagDocument> =>
  variants.chain((given): fc.Arbitrary<FlagDocument> => {
    const shared = {
      key: fc.constant(key),
      enabled: fc.boolean(),
      variants: fc.constant(given),
      rules: rules(given.map((variant) => variant.key)),
    };
    return fc.oneof(
      fc.record({ ...shared, type: fc.constantFrom(null, 'VARIANT_FLAG_TYPE' as const) }),
      fc.record({ ...shared, type: fc.constant('BOOLEAN_FLAG_TYPE' as const), rollouts }),
    );
  });

/** Any features of one namespace, full of mistakes that Flipt v1 accepts. */
export const arbitraryDocument: fc.Arbitrary<FeaturesDocument> = fc.record({
  flags: fc.tuple(...FLAG_KEYS.map(flag)),
  segments: fc.tuple(...SEGMENT_KEYS.map(segment)),
});

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', ...TEXTS, ...NUMBERS, ...DATES) },
  { weight: 1, arbitrary: fc.string({ maxLength: 3 }) },
);

/** Any questions. The test chooses their flag. */
export const arbitraryQuestions: fc.Arbitrary<readonly Omit<Question, 'flag'>[]> = fc.array(
  fc.record({
    namespace: fc.constant('default'),
    entity: fc.oneof(text, fc.string()),
    attributes: fc.dictionary(fc.constantFrom(...ATTRIBUTES), text),
  }),
  { minLength: 30, maxLength: 60 },
);
