import type { Semantics } from '../../engine/features.js';
import type {
  BooleanFlagRecord,
  DistributionRecord,
  FlagRecord,
  VariantFlagRecord,
} from '../state/records.js';
import { shownOperator, shownSegments, type Written } from './snapshot-segments.js';

/** A flag as the snapshot of this version shows it, with everything that evaluation reads. */
export function shownFlag(written: Written, flag: FlagRecord): object {
  const { key, enabled, type, createdAt, updatedAt } = flag;
  // v2 leaves out the texts for people.
  const { name, description } = written.semantics === 'v1' ? flag : { name: '', description: '' };
  const about = { key, name, description, enabled, type, createdAt, updatedAt };
  // Evaluation reads the rollouts of a boolean flag, and the rules of a variant flag.
  return flag.type === 'BOOLEAN_FLAG_TYPE'
    ? { ...about, rules: [], rollouts: shownRollouts(written, flag) }
    : { ...about, rules: shownRules(written, flag), rollouts: [], ...shownDefault(written, flag) };
}

function shownRules(written: Written, flag: VariantFlagRecord): readonly object[] {
  return flag.rules.flatMap((rule) => {
    const segments = shownSegments(written, rule.segmentKeys);
    // v1 repeats a rule for each of its segments, and repeats the distributions in each copy.
    const copies = written.semantics === 'v1' ? segments.length : 1;
    const distributions = rule.distributions.map((distribution) =>
      shownDistribution(written, flag, rule.id, distribution),
    );
    const shown = {
      id: rule.id,
      segments,
      rank: rule.rank,
      segmentOperator: shownOperator(rule),
      distributions: repeated(distributions, copies).flat(),
    };
    return repeated(shown, copies);
  });
}

function shownDistribution(
  { semantics }: Written,
  flag: VariantFlagRecord,
  ruleId: string,
  { variantId, rollout }: DistributionRecord,
): object {
  const variant = flag.variants.get(variantId);
  const shown = {
    variantKey: variant?.key ?? '',
    variantAttachment: shownAttachment(semantics, variant?.attachment),
    rollout,
  };
  return semantics === 'v1' ? { id: '', ruleId: '', variantId, ...shown } : { ruleId, ...shown };
}

function shownDefault(
  { semantics, abilities }: Written,
  { key: flagKey, defaultVariantId, variants }: VariantFlagRecord,
): object {
  const variant = defaultVariantId === undefined ? undefined : variants.get(defaultVariantId);
  if (!variant || !abilities.defaultVariants) return {};
  const { id, key } = variant;
  const attachment = shownAttachment(semantics, variant.attachment);
  return { defaultVariant: { id: semantics === 'v1' ? id : `${flagKey}/${key}`, key, attachment } };
}

function shownAttachment(semantics: Semantics, attachment = ''): string {
  return attachment === '' && semantics === 'v2' ? 'null' : attachment;
}

function shownRollouts(written: Written, { rollouts }: BooleanFlagRecord): readonly object[] {
  return rollouts.map((rollout, index) => {
    const rank = index + 1;
    if (rollout.kind === 'threshold') {
      const { percentage, value } = rollout;
      return { type: 'THRESHOLD_ROLLOUT_TYPE', rank, threshold: { percentage, value } };
    }
    const segment = {
      value: rollout.value,
      segmentOperator: shownOperator(rollout),
      segments: shownSegments(written, rollout.segmentKeys),
    };
    return { type: 'SEGMENT_ROLLOUT_TYPE', rank, segment };
  });
}

function repeated<Item>(item: Item, times: number): readonly Item[] {
  return Array.from({ length: times }, () => item);
}
