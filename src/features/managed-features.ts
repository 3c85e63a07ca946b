import type {
  BooleanFlag,
  Constraint,
  Features,
  Rule,
  Segment,
  Semantics,
  Variant,
  VariantFlag,
} from '../engine/features.js';
import { OPERATORS_WITHOUT_VALUE } from '../engine/operators-by-type.js';
import type { CheckedDocument, CheckedFlag, CheckedSegment } from './document-schema.js';
import { goJson } from './attachment-json.js';
import { rolloutPercentage } from './rollout-percentage.js';

/** Texts for people, which evaluation does not read. */
interface Described {
  readonly name: string;
  readonly description: string;
}

/** A namespace's features as evaluation reads them, with what people and Flipt's management see beside that. */
export interface ManagedFeatures extends Features, Described {
  readonly key: string;
  readonly flags: ReadonlyMap<string, ManagedFlag>;
  readonly segments: ReadonlyMap<string, ManagedSegment>;
}

export type ManagedFlag = ManagedParts & (Omit<VariantFlag, keyof ManagedParts> | BooleanFlag);

/** Flags of both types may have variants and rules. Those of a boolean flag have no effect. */
export interface ManagedParts extends Described {
  /** In a document, the id of a variant is its key. */
  readonly variants: ReadonlyMap<string, ManagedVariant>;
  readonly rules: readonly RankedRule[];
}

export interface ManagedVariant extends Variant, Described {}

export interface RankedRule extends Rule {
  readonly rank: number;
}

export interface ManagedSegment extends Segment, Described {
  readonly constraints: readonly ManagedConstraint[];
}

export interface ManagedConstraint extends Constraint {
  readonly description: string;
}

/** The features of a document whose references have been checked, as this version of Flipt stores them. */
export function managedFeatures(document: CheckedDocument, semantics: Semantics): ManagedFeatures {
  const { namespace } = document;
  const about = typeof namespace === 'string' ? { key: namespace, name: '', description: '' } : namespace;
  return {
    ...about,
    name: about.name || about.key,
    flags: byKey(document.flags.map((flag) => managedFlag(flag, semantics))),
    segments: byKey(document.segments.map(managedSegment)),
  };
}

function byKey<Part extends { readonly key: string }>(parts: readonly Part[]): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [part.key, part]));
}

function managedFlag(written: CheckedFlag, semantics: Semantics): ManagedFlag {
  const { key, name, description, enabled, type } = written;
  const variants = written.variants.map((variant) => ({
    key: variant.key,
    name: variant.name,
    description: variant.description,
    attachment: variant.attachment == null ? '' : (goJson(variant.attachment, semantics) ?? ''),
  }));
  const rules = rankedRules(written.rules, semantics).map(({ rule, rank }) => ({
    ...rule,
    rank,
    distributions: rule.distributions.map(({ variant: variantId, rollout }) => ({
      variantId,
      rollout: rolloutPercentage(rollout),
    })),
  }));
  const shared = { key, name, description, enabled, variants: byKey(variants), rules };
  return type === 'BOOLEAN_FLAG_TYPE'
    ? { ...shared, type, rollouts: written.rollouts }
    : { ...shared, type, defaultVariantId: written.variants.find((variant) => variant.default)?.key };
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

function managedSegment(written: CheckedSegment): ManagedSegment {
  const { key, name, description, match_type: matchType } = written;
  const constraints = written.constraints.map((constraint) => {
    const operator = constraint.operator.toLowerCase();
    const value = typeof constraint.value === 'string' ? constraint.value : goJson(constraint.value, 'v1');
    const isUsed = !OPERATORS_WITHOUT_VALUE.includes(operator);
    return { ...constraint, operator, value: (isUsed && value) || '' };
  });
  return { key, name, description, matchType, constraints };
}
