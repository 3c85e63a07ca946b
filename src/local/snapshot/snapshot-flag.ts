import {
  MATCH_TYPES,
  SEGMENT_OPERATORS,
  type Rollout,
  type SegmentChoice,
  type Semantics,
} from '../../engine/features.js';
import { absentAttachment, namesIn } from '../../engine/rules-of-version.js';
import type {
  ConstraintRecord,
  FlagRecord,
  NamespaceRecord,
  RuleRecord,
  SegmentRecord,
  VariantFlagRecord,
} from '../../features/records.js';
import type { ClientAbilities } from './client-version.js';

/** Which namespace is written, for which version of the service and for which client. */
export interface Written {
  readonly namespace: NamespaceRecord;
  readonly semantics: Semantics;
  readonly abilities: ClientAbilities;
}

/** A flag as the snapshot of this version shows it, with everything that evaluation reads. */
export function shownFlag(written: Written, flag: FlagRecord): object {
  const { key, enabled, type, createdAt, updatedAt } = flag;
  const { name, description } = namesIn(written.semantics).flags ? flag : { name: '', description: '' };
  const about = { key, name, description, enabled, type, createdAt, updatedAt };
  // Evaluation reads the rollouts of a boolean flag, and the rules of a variant flag.
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const rollouts = flag.rollouts.map((rollout, at) => shownRollout(written, rollout, at + 1));
    return { ...about, rules: [], rollouts };
  }
  const rules = flag.rules.flatMap((rule) => shownRule(written, flag, rule));
  return { ...about, rules, rollouts: [], ...shownDefault(written, flag) };
}

function shownRule(written: Written, flag: VariantFlagRecord, rule: RuleRecord): readonly object[] {
  const isV1 = written.semantics === 'v1';
  const { id: ruleId, rank } = rule;
  const segments = shownSegments(written, rule.segmentKeys);
  // v1 repeats a rule for each of its segments, and repeats the distributions in each copy.
  const copies = Array.from({ length: isV1 ? segments.length : 1 });
  const distributions = rule.distributions.map(({ variantId, rollout }) => {
    const { key: variantKey = '', attachment } = flag.variants.get(variantId) ?? {};
    const ids = isV1 ? { id: '', ruleId: '', variantId } : { ruleId };
    return { ...ids, variantKey, variantAttachment: shownAttachment(written, attachment), rollout };
  });
  const shown = {
    id: ruleId,
    segments,
    rank,
    segmentOperator: shownOperator(rule),
    distributions: copies.flatMap(() => distributions),
  };
  return copies.map(() => shown);
}

function shownDefault(written: Written, { key: flagKey, defaultVariantId, variants }: VariantFlagRecord) {
  const variant = defaultVariantId === undefined ? undefined : variants.get(defaultVariantId);
  if (!variant || !written.abilities.defaultVariants) return {};
  const { id, key } = variant;
  const attachment = shownAttachment(written, variant.attachment);
  return { defaultVariant: { id: written.semantics === 'v1' ? id : `${flagKey}/${key}`, key, attachment } };
}

function shownAttachment({ semantics }: Written, attachment = ''): string {
  return attachment || absentAttachment(semantics);
}

function shownRollout(written: Written, rollout: Rollout, rank: number): object {
  const { value } = rollout;
  if (rollout.kind === 'threshold') {
    return { type: 'THRESHOLD_ROLLOUT_TYPE', rank, threshold: { percentage: rollout.percentage, value } };
  }
  const segments = shownSegments(written, rollout.segmentKeys);
  const segment = { value, segmentOperator: shownOperator(rollout), segments };
  return { type: 'SEGMENT_ROLLOUT_TYPE', rank, segment };
}

/** An operator without a name is shown as OR: the service's rule. */
function shownOperator({ segmentOperator }: SegmentChoice): string {
  return SEGMENT_OPERATORS.find((name) => name === segmentOperator) ?? 'OR_SEGMENT_OPERATOR';
}

/** A snapshot repeats a segment, with its constraints, wherever it is used. */
function shownSegments(written: Written, keys: readonly string[]): readonly object[] {
  return keys.flatMap((key) => {
    const segment = written.namespace.segments.get(key);
    return segment ? [shownSegment(written, segment)] : [];
  });
}

function shownSegment(written: Written, segment: SegmentRecord): object {
  const { key, matchType, constraints } = segment;
  const { name, description } = namesIn(written.semantics).segments ? segment : { name: '', description: '' };
  // A match type without a name is shown as ANY: the service's rule, although it evaluates such a segment differently.
  const known = MATCH_TYPES.find((name) => name === matchType) ?? 'ANY_MATCH_TYPE';
  return {
    key,
    name,
    description,
    matchType: known.replace('_', '_SEGMENT_'),
    constraints: constraints.map((constraint) => shownConstraint(written, constraint)),
  };
}

function shownConstraint(
  { semantics, abilities }: Written,
  { id, type, property, operator, value }: ConstraintRecord,
): object {
  const known = type !== 'ENTITY_ID_COMPARISON_TYPE' || abilities.entityIds;
  const shown = (known ? type : 'UNKNOWN_COMPARISON_TYPE').replace('_COMPARISON', '_CONSTRAINT_COMPARISON');
  return { ...(semantics === 'v1' && { id }), type: shown, property, operator, value };
}
