import type { Semantics } from '../engine/features.js';
import { OPERATORS_WITHOUT_VALUE } from '../engine/operators-by-type.js';
import type { CheckedDocument, CheckedFlag, CheckedSegment } from './document-schema.js';
import {
  newDates,
  newIdentity,
  type FlagRecord,
  type NamespaceRecord,
  type SegmentRecord,
  type Stamp,
} from './records.js';
import { goJson, rolloutPercentage } from './stored-values.js';

/** The features of a document whose references have been checked, as this version of Flipt stores them. */
export function recordedFeatures(
  { namespace, flags, segments }: CheckedDocument,
  semantics: Semantics,
  stamp: Stamp,
): NamespaceRecord {
  const about = typeof namespace === 'string' ? { key: namespace, name: '', description: '' } : namespace;
  return {
    ...about,
    name: about.name || about.key,
    version: segments.length + flags.length > 0 ? stamp.id() : undefined,
    segments: byKey(segments.map((segment) => segmentRecord(segment, stamp))),
    flags: byKey(flags.map((flag) => flagRecord(flag, semantics, stamp))),
  };
}

function byKey<Part extends { readonly key: string }>(parts: readonly Part[]): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [part.key, part]));
}

function flagRecord(written: CheckedFlag, semantics: Semantics, stamp: Stamp): FlagRecord {
  const { key, name, description, enabled, type, rollouts } = written;
  const variants = written.variants.map((variant) => ({
    ...newIdentity(stamp),
    key: variant.key,
    name: variant.name,
    description: variant.description,
    attachment: variant.attachment == null ? '' : (goJson(variant.attachment, semantics) ?? ''),
  }));
  const ids = new Map(variants.map(({ key, id }) => [key, id]));
  const rules = rankedRules(written.rules, semantics).map(({ rule, rank }) => ({
    ...newIdentity(stamp),
    ...rule,
    rank,
    distributions: rule.distributions.map(({ variant, rollout }) => ({
      ...newIdentity(stamp),
      variantId: ids.get(variant) ?? '',
      rollout: rolloutPercentage(rollout),
    })),
  }));
  const shared = {
    key,
    name,
    description,
    enabled,
    variants: new Map(variants.map((variant) => [variant.id, variant])),
    rules,
    ...newDates(stamp),
  };
  if (type === 'BOOLEAN_FLAG_TYPE') return { ...shared, type, rollouts };
  const byDefault = variants[written.variants.findIndex((variant) => variant.default)];
  return { ...shared, type, defaultVariantId: byDefault?.id };
}

/** Rules in the order of evaluation, each with its rank and its index in the file. */
export function rankedRules(rules: CheckedFlag['rules'], semantics: Semantics) {
  return (
    rules
      // v2 reads ranks and ignores them.
      .map((rule, index) => ({ rule, index, rank: (semantics === 'v1' && rule.rank) || index + 1 }))
      .sort((one, other) => one.rank - other.rank)
  );
}

function segmentRecord(written: CheckedSegment, stamp: Stamp): SegmentRecord {
  const { key, name, description, match_type: matchType } = written;
  const constraints = written.constraints.map((constraint) => {
    const operator = constraint.operator.toLowerCase();
    const value = typeof constraint.value === 'string' ? constraint.value : goJson(constraint.value, 'v1');
    const isUsed = !OPERATORS_WITHOUT_VALUE.includes(operator);
    return { ...newIdentity(stamp), ...constraint, operator, value: (isUsed && value) || '' };
  });
  return { key, name, description, matchType, constraints, ...newDates(stamp) };
}
