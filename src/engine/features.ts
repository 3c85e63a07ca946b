import type { UnreadableFlag } from '../model/answer.js';

/**
 * The types in this file describe the flags and segments of a namespace, as far as evaluation reads them. The names and
 * values of all enums are Flipt's own. A match type or a segment operator stays a number if it has no name in this
 * file.
 */

/**
 * The version of Flipt by whose rules flags are evaluated: Flipt v1, Flipt 2.0 to 2.8 (`'v2.8'`), or Flipt 2.9 and
 * newer (`'v2'`). Flipt 2.9 and newer scale the percentages of a rule so that they add up to 100, and older versions do
 * not. Flipt v1 sends an empty text for a variant without an attachment, and Flipt v2 sends `null`.
 */
export type Semantics = 'v1' | 'v2.8' | 'v2';

// In `MATCH_TYPES`, `SEGMENT_OPERATORS` and `COMPARISON_TYPES`, the names are in the order of their numbers in Flipt's
// protocol. The first name of `MATCH_TYPES`, and that of `SEGMENT_OPERATORS`, is Flipt's default.
export const MATCH_TYPES = ['ALL_MATCH_TYPE', 'ANY_MATCH_TYPE'] as const;
export const SEGMENT_OPERATORS = ['OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR'] as const;

export const COMPARISON_TYPES = [
  'STRING_COMPARISON_TYPE',
  'NUMBER_COMPARISON_TYPE',
  'BOOLEAN_COMPARISON_TYPE',
  'DATETIME_COMPARISON_TYPE',
  'ENTITY_ID_COMPARISON_TYPE',
] as const;

/**
 * `wireMatchType` and `wireComparisonType` return the names that a snapshot uses for match types and comparison types.
 * `wireMatchType` returns a number unchanged.
 */
export const wireMatchType = (type: MatchType) =>
  typeof type === 'number' ? type : type.replace('MATCH', 'SEGMENT_MATCH');
export const wireComparisonType = (type: ComparisonType) =>
  type.replace('COMPARISON', 'CONSTRAINT_COMPARISON');
/** Flipt v1 writes this name into a snapshot in place of a comparison type that the client's version does not know. */
export const UNKNOWN_WIRE_COMPARISON_TYPE = 'UNKNOWN_CONSTRAINT_COMPARISON_TYPE';

export type MatchType = (typeof MATCH_TYPES)[number] | number;
export type SegmentOperator = (typeof SEGMENT_OPERATORS)[number] | number;
export type ComparisonType = (typeof COMPARISON_TYPES)[number];

export interface Constraint {
  readonly type: ComparisonType;
  /** The attribute that is compared. The property has no meaning for a constraint on the entity id. */
  readonly property: string;
  readonly operator: string;
  readonly value: string;
}

export interface Segment {
  readonly key: string;
  readonly matchType: MatchType;
  readonly constraints: readonly Constraint[];
}

/**
 * The segments that a rule or a rollout names, and the operator that says how many of them must match. No segment key
 * occurs twice.
 */
export interface SegmentChoice {
  readonly segmentKeys: readonly string[];
  readonly segmentOperator: SegmentOperator;
}

export interface Variant {
  readonly key: string;
  /** The attachment as JSON text, or `''` if there is none. */
  readonly attachment: string;
}

export interface Distribution {
  readonly variantId: string;
  /** The variant's share in percent, from 0 to 100. */
  readonly rollout: number;
}

export interface Rule extends SegmentChoice {
  readonly distributions: readonly Distribution[];
}

/** A rollout of a boolean flag. The percentage of a threshold rollout is from 0 to 100, and can have a fraction. */
export type Rollout = { readonly value: boolean } & (
  | ({ readonly kind: 'segment' } & SegmentChoice)
  | { readonly kind: 'threshold'; readonly percentage: number }
);

export interface VariantFlag {
  readonly type: 'VARIANT_FLAG_TYPE';
  readonly key: string;
  readonly enabled: boolean;
  /** The flag's variants by their ids. In the embedded service, a variant keeps its id when its key changes. */
  readonly variants: ReadonlyMap<string, Variant>;
  readonly defaultVariantId?: string | undefined;
  /** Rules and rollouts are in ascending order of rank, which is the order in which evaluation tries them. */
  readonly rules: readonly Rule[];
}

export interface BooleanFlag {
  readonly type: 'BOOLEAN_FLAG_TYPE';
  readonly key: string;
  readonly enabled: boolean;
  /** Rules and rollouts are in ascending order of rank, which is the order in which evaluation tries them. */
  readonly rollouts: readonly Rollout[];
}

export type Flag = VariantFlag | BooleanFlag;

/** The flags and the segments of one namespace. */
export interface Features {
  readonly flags: ReadonlyMap<string, Flag>;
  readonly segments: ReadonlyMap<string, Segment>;
  /**
   * The flags that this version of the package cannot evaluate, by their keys. Only features from a snapshot can have
   * flags that this version of the package cannot evaluate. Default: none.
   */
  readonly unreadable?: ReadonlyMap<string, UnreadableFlag>;
}

/**
 * The part of {@link Features} that evaluation needs. A snapshot parses a flag, at the latest, when `flags.get` is
 * first called for that flag.
 */
export interface FeatureLookup {
  readonly flags: Pick<Features['flags'], 'get'>;
  readonly segments: Pick<Features['segments'], 'get'>;
  readonly unreadable?: Pick<NonNullable<Features['unreadable']>, 'get'>;
}
