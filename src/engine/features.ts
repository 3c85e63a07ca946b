import type { UnreadableFlag } from '../model/answer.js';

/** Flipt v1, 2.0 to 2.8 (`'v2.8'`), or 2.9 and newer (`'v2'`). */
export type Semantics = 'v1' | 'v2.8' | 'v2';

// In the order of their numbers in Flipt's protocol, Flipt's defaults first.
export const MATCH_TYPES = ['ALL_MATCH_TYPE', 'ANY_MATCH_TYPE'] as const;
export const SEGMENT_OPERATORS = ['OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR'] as const;
export const COMPARISON_TYPES = [
  'STRING_COMPARISON_TYPE',
  'NUMBER_COMPARISON_TYPE',
  'BOOLEAN_COMPARISON_TYPE',
  'DATETIME_COMPARISON_TYPE',
  'ENTITY_ID_COMPARISON_TYPE',
] as const;

/** A number is a match type of a newer Flipt. */
export type MatchType = (typeof MATCH_TYPES)[number] | number;
/** A number is an operator of a newer Flipt. */
export type SegmentOperator = (typeof SEGMENT_OPERATORS)[number] | number;
export type ComparisonType = (typeof COMPARISON_TYPES)[number];

// Snapshots have other names than the rest of Flipt's interface.
export const wireMatchType = (type: MatchType) =>
  typeof type === 'number' ? type : type.replace('MATCH', 'SEGMENT_MATCH');
export const wireComparisonType = (type: ComparisonType) =>
  type.replace('COMPARISON', 'CONSTRAINT_COMPARISON');

export interface Constraint {
  readonly type: ComparisonType;
  /** Without a meaning for a constraint on the entity id. */
  readonly property: string;
  readonly operator: string;
  readonly value: string;
}

export interface Segment {
  readonly key: string;
  readonly matchType: MatchType;
  readonly constraints: readonly Constraint[];
}

/** No segment key occurs twice. */
export interface SegmentChoice {
  readonly segmentKeys: readonly string[];
  readonly segmentOperator: SegmentOperator;
  /** Of a features file: the segments that Flipt 2.11 leaves out here. */
  readonly leftOut?: readonly string[];
}

export interface Variant {
  readonly key: string;
  /** JSON text, or `''` without an attachment. */
  readonly attachment: string;
}

export interface Distribution {
  readonly variantId: string;
  /** In percent. */
  readonly rollout: number;
}

export interface Rule extends SegmentChoice {
  readonly distributions: readonly Distribution[];
}

export type Rollout = { readonly value: boolean } & (
  | ({ readonly kind: 'segment' } & SegmentChoice)
  | { readonly kind: 'threshold'; readonly percentage: number }
);

export interface VariantFlag {
  readonly type: 'VARIANT_FLAG_TYPE';
  readonly key: string;
  readonly enabled: boolean;
  /** By their ids: in the embedded service, a variant keeps its id when its key changes. */
  readonly variants: ReadonlyMap<string, Variant>;
  readonly defaultVariantId?: string | undefined;
  /** In the order of evaluation. */
  readonly rules: readonly Rule[];
}

export interface BooleanFlag {
  readonly type: 'BOOLEAN_FLAG_TYPE';
  readonly key: string;
  readonly enabled: boolean;
  /** In the order of evaluation. */
  readonly rollouts: readonly Rollout[];
}

export type Flag = VariantFlag | BooleanFlag;

export interface Features {
  readonly flags: ReadonlyMap<string, Flag>;
  readonly segments: ReadonlyMap<string, Segment>;
  readonly unreadable?: ReadonlyMap<string, UnreadableFlag>;
}

/** A snapshot reads a flag when `flags.get` first asks for it. */
export interface FeatureLookup {
  readonly flags: Pick<Features['flags'], 'get'>;
  readonly segments: Pick<Features['segments'], 'get'>;
  readonly unreadable?: Pick<NonNullable<Features['unreadable']>, 'get'>;
}
