import { wireComparisonType, type Rollout, type SegmentChoice, type Semantics } from '../engine/features.js';
import { writtenAttachment } from '../engine/version-differences.js';
import type {
  FlagRecord,
  NamespaceRecord,
  RuleRecord,
  SegmentRecord,
  VariantFlagRecord,
} from './normalize.js';

/** A namespace in the words of Flipt's snapshot, without v2's digest. */
export function snapshotBody(namespace: NamespaceRecord, semantics: Semantics) {
  const flags = Array.from(namespace.flags.values(), (flag) => shownFlag(flag, namespace, semantics));
  return { namespace: { key: namespace.key }, flags };
}

const NAMELESS = { name: '', description: '' };

/** As in Flipt, a boolean flag has no rules, and a variant flag no rollouts. */
function shownFlag(flag: FlagRecord, namespace: NamespaceRecord, semantics: Semantics): object {
  const { key, enabled, type, createdAt, updatedAt } = flag;
  const { name, description } = semantics === 'v2' ? NAMELESS : flag;
  const about = { key, name, description, enabled, type, createdAt, updatedAt };
  const choice = ({ segmentKeys, segmentOperator }: SegmentChoice) => ({
    segments: segmentKeys
      .flatMap((segmentKey) => namespace.segments.get(segmentKey) ?? [])
      .map((segment) => shownSegment(segment, semantics)),
    // An operator without a name is shown as OR.
    segmentOperator: segmentOperator === 'AND_SEGMENT_OPERATOR' ? segmentOperator : 'OR_SEGMENT_OPERATOR',
  });
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const rollouts = flag.rollouts.map((rollout, at) => ({ rank: at + 1, ...shownRollout(rollout, choice) }));
    return { ...about, rules: [], rollouts };
  }
  const rules = flag.rules.flatMap((rule) => shownRule(rule, flag, choice(rule), semantics));
  return { ...about, rules, rollouts: [], ...shownDefault(flag, semantics) };
}

type ShownChoice = (choice: SegmentChoice) => {
  readonly segments: readonly object[];
  readonly segmentOperator: string;
};

function shownRollout(rollout: Rollout, choice: ShownChoice): object {
  const { value } = rollout;
  return rollout.kind === 'threshold'
    ? { type: 'THRESHOLD_ROLLOUT_TYPE', threshold: { percentage: rollout.percentage, value } }
    : { type: 'SEGMENT_ROLLOUT_TYPE', segment: { value, ...choice(rollout) } };
}

/** Flipt v1 repeats a rule of n segments n times, and each copy holds its distributions n times. */
function shownRule(
  rule: RuleRecord,
  flag: VariantFlagRecord,
  choice: ReturnType<ShownChoice>,
  semantics: Semantics,
) {
  const { id, rank } = rule;
  const copies = Array.from({ length: semantics === 'v1' ? choice.segments.length : 1 });
  const distributions = rule.distributions.map(({ variantId, rollout }) => {
    const { key: variantKey = '', attachment = '' } = flag.variants.get(variantId) ?? {};
    const ids = semantics === 'v1' ? { id: '', ruleId: '', variantId } : { ruleId: id };
    return { ...ids, variantKey, variantAttachment: writtenAttachment(attachment, semantics), rollout };
  });
  return copies.map(() => ({ id, rank, ...choice, distributions: copies.flatMap(() => distributions) }));
}

function shownDefault(
  { key: flagKey, defaultVariantId, variants }: VariantFlagRecord,
  semantics: Semantics,
): object {
  const variant = variants.get(defaultVariantId ?? '');
  if (!variant) return {};
  const { key } = variant;
  const id = semantics === 'v1' ? variant.id : `${flagKey}/${key}`;
  return { defaultVariant: { id, key, attachment: writtenAttachment(variant.attachment, semantics) } };
}

function shownSegment(segment: SegmentRecord, semantics: Semantics): object {
  const { key, matchType } = segment;
  const { name, description } = semantics === 'v2.8' ? segment : NAMELESS;
  const constraints = segment.constraints.map(({ id, type, property, operator, value }) => ({
    ...(semantics === 'v1' && { id }),
    type: wireComparisonType(type),
    property,
    operator,
    value,
  }));
  // A match type without a name is shown as ANY, although Flipt itself does not evaluate it so.
  const shownType = matchType === 'ALL_MATCH_TYPE' ? 'ALL_SEGMENT_MATCH_TYPE' : 'ANY_SEGMENT_MATCH_TYPE';
  return { key, name, description, matchType: shownType, constraints };
}
