import fc from 'fast-check';
import type {
  Constraint,
  Features,
  Flag,
  Segment,
  SegmentChoice,
  Variant,
} from '../../src/engine/features.js';

/** Features in a short form, in which rules contain their variants, and segments are listed by key. */
export interface Plan {
  readonly segments: Readonly<Record<string, Omit<Segment, 'key'>>>;
  readonly flags: Readonly<Record<string, FlagPlan>>;
}
export type FlagPlan = VariantPlan | BooleanPlan;
export interface VariantPlan {
  readonly enabled: boolean;
  readonly byDefault: Variant | undefined;
  readonly rules: readonly (SegmentChoice & { readonly shares: readonly SharePlan[] })[];
}
export interface SharePlan {
  readonly variant: Variant;
  readonly rollout: number;
}
export interface BooleanPlan {
  readonly enabled: boolean;
  readonly rollouts: readonly (
    | (SegmentChoice & { readonly value: boolean })
    | { readonly percentage: number; readonly value: boolean }
  )[];
}

/** How a server may write the same features another time: with other ids, and segments in another order. */
export interface Writing {
  readonly ids: string;
  readonly reversed: boolean;
}

export function featuresOf(
  plan: Plan,
  { ids, reversed }: Writing = { ids: 'id', reversed: false },
): Features {
  const choice = ({ segmentKeys, segmentOperator }: SegmentChoice): SegmentChoice => ({
    segmentKeys: reversed ? segmentKeys.toReversed() : segmentKeys,
    segmentOperator,
  });
  const flagOf = (key: string, flag: FlagPlan): Flag => {
    if ('rollouts' in flag) {
      const rollouts = flag.rollouts.map((rollout) =>
        'percentage' in rollout
          ? { kind: 'threshold' as const, ...rollout }
          : { kind: 'segment' as const, value: rollout.value, ...choice(rollout) },
      );
      return { type: 'BOOLEAN_FLAG_TYPE', key, enabled: flag.enabled, rollouts };
    }
    const variants = new Map<string, Variant>();
    const idOf = (variant: Variant) => {
      const id = `${ids}-${variant.key}-${variant.attachment}`;
      variants.set(id, variant);
      return id;
    };
    const rules = flag.rules.map((rule) => ({
      ...choice(rule),
      distributions: rule.shares.map(({ variant, rollout }) => ({ variantId: idOf(variant), rollout })),
    }));
    const defaultVariantId = flag.byDefault && idOf(flag.byDefault);
    return { type: 'VARIANT_FLAG_TYPE', key, enabled: flag.enabled, variants, defaultVariantId, rules };
  };
  const flags = Object.entries(plan.flags).map(([key, flag]) => [key, flagOf(key, flag)] as const);
  const segments = Object.entries(plan.segments).map(([key, segment]) => [key, { key, ...segment }] as const);
  return {
    flags: new Map(reversed ? flags.toReversed() : flags),
    segments: new Map(reversed ? segments.toReversed() : segments),
  };
}

const SEGMENT_KEYS = ['s0', 's1', 's2'] as const;
const FLAG_KEYS = ['f0', 'f1', 'f2', 'f3'] as const;

const constraint: fc.Arbitrary<Constraint> = fc.record({
  type: fc.constantFrom('STRING_COMPARISON_TYPE', 'NUMBER_COMPARISON_TYPE'),
  property: fc.constantFrom('plan', 'age'),
  operator: fc.constantFrom('eq', 'neq'),
  value: fc.constantFrom('1', 'pro'),
});
const segment = fc.record({
  matchType: fc.constantFrom('ALL_MATCH_TYPE' as const, 'ANY_MATCH_TYPE' as const, 2),
  constraints: fc.array(constraint, { maxLength: 2 }),
});
const choice = {
  segmentKeys: fc.uniqueArray(fc.constantFrom(...SEGMENT_KEYS), { minLength: 1 }),
  segmentOperator: fc.constantFrom('OR_SEGMENT_OPERATOR' as const, 'AND_SEGMENT_OPERATOR' as const),
};
const variant = fc.record({ key: fc.constantFrom('a', 'b'), attachment: fc.constantFrom('', '{}') });
const percent = fc.constantFrom(0, 50, 100);
const share = fc.record({ variant, rollout: percent });

const flag: fc.Arbitrary<FlagPlan> = fc.oneof(
  fc.record({
    enabled: fc.boolean(),
    byDefault: fc.option(variant, { nil: undefined }),
    rules: fc.array(fc.record({ ...choice, shares: fc.array(share, { maxLength: 2 }) }), { maxLength: 2 }),
  }),
  fc.record({
    enabled: fc.boolean(),
    rollouts: fc.array(
      fc.oneof(
        fc.record({ ...choice, value: fc.boolean() }),
        fc.record({ percentage: percent, value: fc.boolean() }),
      ),
      { maxLength: 2 },
    ),
  }),
);

export const arbitraryPlan: fc.Arbitrary<Plan> = fc.record({
  segments: fc.record({ s0: segment, s1: segment, s2: segment }),
  flags: fc.dictionary(fc.constantFrom(...FLAG_KEYS, '__proto__'), flag),
});

export const arbitraryWriting: fc.Arbitrary<Writing> = fc.record({
  ids: fc.constantFrom('x', 'y'),
  reversed: fc.boolean(),
});
