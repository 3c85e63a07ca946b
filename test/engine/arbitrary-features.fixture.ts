import fc from 'fast-check';
import { OPERATORS } from '../../src/engine/constraint-match.js';
import {
  COMPARISON_TYPES,
  MATCH_TYPES,
  SEGMENT_OPERATORS,
  type Features,
  type Flag,
  type Segment,
} from '../../src/engine/features.js';
import { codePoint } from '../code-point.fixture.js';

const WORDS = [...new Set(Object.values(OPERATORS).flat()), 'nonsense'];
const ATTRIBUTES = ['plan', 'age', '__proto__', 'constructor'] as const;
const SEGMENT_KEYS = ['s0', 's1', 's2', 'gone'] as const;
const VARIANT_IDS = ['a', 'b', 'c', 'gone'] as const;
export const FLAG_KEYS = ['f0', 'f1', 'é🎈'] as const;

/** These texts are values of one of the types, or almost are. */
const TEXTS =
  `pro free p o 18 018 1e3 1_000 0x1p4 inf NaN 10px 2024-01-01 2024-01-01T01:00:00+01:00 2024-02-30 true
  T FALSE yes ["pro","18"] [18,1000] [null] [] null {} ["a",1]`.split(/\s+/);
const text = fc.oneof(fc.constantFrom('', ' ', '\u0085', ' pro ', ...TEXTS), fc.string({ maxLength: 3 }));

const constraint = fc.record({
  type: fc.constantFrom(...COMPARISON_TYPES),
  property: fc.constantFrom(...ATTRIBUTES),
  operator: fc.constantFrom(...WORDS),
  value: text,
});

const segment = (key: string): fc.Arbitrary<Segment> =>
  fc.record({
    key: fc.constant(key),
    matchType: fc.constantFrom(...MATCH_TYPES, ...MATCH_TYPES, 7),
    constraints: fc.array(constraint, { maxLength: 3 }),
  });

const choice = {
  segmentKeys: fc.uniqueArray(fc.constantFrom(...SEGMENT_KEYS), { maxLength: 3 }),
  segmentOperator: fc.constantFrom(...SEGMENT_OPERATORS, ...SEGMENT_OPERATORS, 7),
};
const percent = fc.oneof(
  fc.constantFrom(0, 0.01, 10, 33.33, 50, 99, 99.9, 100),
  fc.double({ min: 0, max: 100, noNaN: true }),
);
const attachment = fc.constantFrom('', 'null', '{"a":1}');

const variantFlag = (key: string): fc.Arbitrary<Flag> =>
  fc.record({
    type: fc.constant('VARIANT_FLAG_TYPE' as const),
    key: fc.constant(key),
    enabled: fc.constantFrom(true, true, true, false),
    variants: fc
      .tuple(attachment, attachment)
      .map(
        ([a, b]) =>
          new Map(Object.entries({ a: { key: 'A', attachment: a }, b: { key: 'B', attachment: b } })),
      ),
    defaultVariantId: fc.constantFrom(undefined, 'a', 'gone'),
    rules: fc.array(
      fc.record({
        ...choice,
        distributions: fc.array(fc.record({ variantId: fc.constantFrom(...VARIANT_IDS), rollout: percent }), {
          maxLength: 4,
        }),
      }),
      { maxLength: 4 },
    ),
  });

const booleanFlag = (key: string): fc.Arbitrary<Flag> =>
  fc.record({
    type: fc.constant('BOOLEAN_FLAG_TYPE' as const),
    key: fc.constant(key),
    enabled: fc.boolean(),
    rollouts: fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('threshold' as const), percentage: percent, value: fc.boolean() }),
        fc.record({ kind: fc.constant('segment' as const), ...choice, value: fc.boolean() }),
      ),
      { maxLength: 4 },
    ),
  });

function byKey<T extends { readonly key: string }>(things: readonly T[]): ReadonlyMap<string, T> {
  return new Map(things.map((thing) => [thing.key, thing]));
}

/** Any features of one namespace, even those that no service would accept, because evaluation must never throw. */
export const arbitraryFeatures: fc.Arbitrary<Features> = fc.record({
  flags: fc.tuple(...FLAG_KEYS.map((key) => fc.oneof(variantFlag(key), booleanFlag(key)))).map(byKey),
  segments: fc.tuple(segment('s0'), segment('s1'), segment('s2')).map(byKey),
});

/** Any question about those features. */
export const arbitraryQuestion = fc.record({
  namespace: fc.constant('default'),
  flag: fc.constantFrom(...FLAG_KEYS, 'missing'),
  entity: fc.oneof(text, fc.string({ unit: codePoint, maxLength: 40 })),
  attributes: fc.dictionary(fc.constantFrom(...ATTRIBUTES, 'other'), text),
});
