import type {
  BooleanFlag,
  Distribution,
  Flag,
  Rollout,
  Rule,
  Semantics,
  Variant,
  VariantFlag,
} from '../../engine/features.js';
import type { WireBooleanFlag, WireFlag, WireRule, WireSegment, WireVariantFlag } from './body-schema.js';
import { distinctNames } from './distinct-names.js';
import { InvalidBody } from './invalid-body.js';

/** Gives each segment of a rule or rollout the key under which the features hold it. */
export type SegmentKey = (segment: WireSegment) => string;

/** A flag of the snapshot as the engine reads it. Throws {@link InvalidBody}. */
export function readFlag(flag: WireFlag, semantics: Semantics, segmentKey: SegmentKey): Flag {
  return flag.type === 'BOOLEAN_FLAG_TYPE'
    ? readBoolean(flag, segmentKey)
    : readVariant(flag, semantics, segmentKey);
}

function readBoolean({ type, key, enabled, rollouts }: WireBooleanFlag, segmentKey: SegmentKey): BooleanFlag {
  const read = rollouts.map((rollout): Rollout => {
    if (rollout.type === 'THRESHOLD_ROLLOUT_TYPE') return { kind: 'threshold', ...rollout.threshold };
    const { value, ...choice } = rollout.segment;
    return { kind: 'segment', value, ...choose(choice, segmentKey) };
  });
  return { type, key, enabled, rollouts: read };
}

function readVariant(flag: WireVariantFlag, semantics: Semantics, segmentKey: SegmentKey): VariantFlag {
  const { type, key, enabled, defaultVariant } = flag;
  const variants = new Map<string, Variant>();
  // Each share repeats its variant's attachment. If it differs from the others, the share gets a variant of its own.
  const nameOf = distinctNames();
  const idOf = (variant: Variant): string => {
    const id = nameOf(variant.key, variant.attachment);
    variants.set(id, variant);
    return id;
  };
  const rules = (semantics === 'v1' ? withoutCopies(flag) : flag.rules).map((rule): Rule => {
    const distributions = rule.distributions.map(
      ({ variantKey, variantAttachment, rollout }): Distribution => ({
        variantId: idOf({ key: variantKey, attachment: variantAttachment }),
        rollout,
      }),
    );
    return { ...choose(rule, segmentKey), distributions };
  });
  const defaultVariantId = defaultVariant ? idOf(defaultVariant) : undefined;
  return { type, key, enabled, variants, defaultVariantId, rules };
}

function choose(
  { segments, segmentOperator }: Pick<WireRule, 'segments' | 'segmentOperator'>,
  segmentKey: SegmentKey,
): Pick<Rule, 'segmentKeys' | 'segmentOperator'> {
  return { segmentKeys: [...new Set(segments.map(segmentKey))], segmentOperator };
}

/**
 * v1 lists a rule of n segments n times, and in each copy lists each distribution n times in a row. If they were
 * evaluated like that, each variant would get a wrong share.
 */
function withoutCopies({ rules }: WireVariantFlag): readonly WireRule[] {
  const copies = new Map<string, number>();
  for (const { id } of rules) copies.set(id, (copies.get(id) ?? 0) + 1);
  const seen = new Set<string>();
  return rules.flatMap((rule) => {
    if (rule.id === '') return [rule];
    if (seen.has(rule.id)) return [];
    seen.add(rule.id);
    const { length } = rule.distributions;
    const count = copies.get(rule.id) ?? 1;
    if (length % count !== 0) {
      throw new InvalidBody(`rules: one is listed ${count} times, but has ${length} distributions`);
    }
    return [{ ...rule, distributions: rule.distributions.slice(0, length / count) }];
  });
}
