import type { Semantics } from '../engine/features.js';
import { OPERATORS_WITHOUT_VALUE } from '../engine/constraint-match.js';
import { ordersByRank } from '../engine/version-differences.js';
import type { CheckedDocument, CheckedFlag, CheckedSegment } from './document-schema.js';
import { newDates } from './records.js';
import type { FlagRecord, NamespaceRecord, SegmentRecord, Stamp } from './records.js';
import { goJson, rolloutPercentage, storedOperator } from './normal-forms.js';

/**
 * Returns the features of a document in the form in which the chosen version of Flipt stores them. Before the call, the
 * caller must check the references in the document, such as from rules to segments.
 */
export function recordedFeatures(
  { namespace, flags, segments }: CheckedDocument,
  semantics: Semantics,
  stamp: Stamp,
): NamespaceRecord {
  // All parts of the document share the same date texts, because formatting new dates for each part would take most of
  // the time.
  const made: Made = { id: stamp.id, ...newDates(stamp) };
  const about = typeof namespace === 'string' ? { key: namespace, name: '', description: '' } : namespace;
  return {
    ...about,
    name: about.name || about.key,
    version: segments.length + flags.length > 0 ? stamp.id() : undefined,
    segments: byKey(segments.map((segment) => segmentRecord(segment, made))),
    flags: byKey(flags.map((flag) => flagRecord(flag, semantics, made))),
  };
}

/** The function that makes the id of each part of a document, and the dates that all parts share. */
type Made = Pick<Stamp, 'id'> & ReturnType<typeof newDates>;

function byKey<Part extends { readonly key: string }>(parts: readonly Part[]): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [part.key, part]));
}

function flagRecord(written: CheckedFlag, semantics: Semantics, made: Made): FlagRecord {
  const { key, name, description, enabled, type, rollouts } = written;
  const { id, createdAt, updatedAt } = made;
  // The code below copies members one by one, because the spread syntax would take several times as long.
  const variants = written.variants.map((variant) => ({
    id: id(),
    createdAt,
    updatedAt,
    key: variant.key,
    name: variant.name,
    description: variant.description,
    attachment: variant.attachment == null ? '' : (goJson(variant.attachment, semantics) ?? ''),
  }));
  const ids = new Map(variants.map((variant) => [variant.key, variant.id]));
  const rules = rankedRules(written.rules, semantics).map(({ rule, rank }) => ({
    id: id(),
    createdAt,
    updatedAt,
    segmentKeys: rule.segmentKeys,
    segmentOperator: rule.segmentOperator,
    rank,
    distributions: rule.distributions.map(({ variant, rollout }) => ({
      id: id(),
      createdAt,
      updatedAt,
      variantId: ids.get(variant) ?? '',
      rollout: rolloutPercentage(rollout),
    })),
  }));
  const shared = {
    key,
    name,
    description,
    enabled,
    metadata: written.metadata == null ? undefined : goJson(written.metadata, 'v1'),
    variants: new Map(variants.map((variant) => [variant.id, variant])),
    rules,
    createdAt,
    updatedAt,
  };
  if (type === 'BOOLEAN_FLAG_TYPE') return { ...shared, type, rollouts };
  const byDefault = variants[written.variants.findIndex((variant) => variant.default)];
  return { ...shared, type, defaultVariantId: byDefault?.id };
}

/**
 * Returns the rules of a flag in the order of evaluation. Each rule comes with its rank and with its position in the
 * flag's list of rules, counted from 0.
 */
export function rankedRules(rules: CheckedFlag['rules'], semantics: Semantics) {
  const rankOf = ({ rank }: CheckedFlag['rules'][number]) => (ordersByRank(semantics) ? rank : 0);
  const ranked = rules.map((rule, index) => ({ rule, index, rank: rankOf(rule) || index + 1 }));
  return ranked.sort((one, other) => one.rank - other.rank);
}

function segmentRecord(written: CheckedSegment, made: Made): SegmentRecord {
  const { key, name, description, match_type: matchType } = written;
  const { id, createdAt, updatedAt } = made;
  const constraints = written.constraints.map((constraint) => {
    const operator = storedOperator(constraint.operator);
    const value = typeof constraint.value === 'string' ? constraint.value : goJson(constraint.value, 'v1');
    const isUsed = !OPERATORS_WITHOUT_VALUE.includes(operator);
    return {
      id: id(),
      createdAt,
      updatedAt,
      type: constraint.type,
      property: constraint.property,
      operator,
      value: (isUsed && value) || '',
      description: constraint.description,
    };
  });
  return { key, name, description, matchType, constraints, createdAt, updatedAt };
}
