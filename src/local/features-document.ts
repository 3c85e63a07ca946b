/**
 * One document of a features file, in Flipt's import and export format: the features of one namespace.
 * Hand {@link startLocalService} one of them, or a list with one for each namespace.
 */
export interface FeaturesDocument {
  /** The format's version; any is read. */
  readonly version?: string | number | null;
  /** The namespace, by key or described; default `default`. */
  readonly namespace?:
    | string
    | { readonly key: string; readonly name?: string | null; readonly description?: string | null }
    | null;
  readonly flags?: readonly FlagDocument[] | null;
  readonly segments?: readonly SegmentDocument[] | null;
}

/** A flag: with variants and rules, or, of the boolean type, with rollouts. */
export interface FlagDocument {
  readonly key: string;
  /** Default: the key. */
  readonly name?: string | null;
  readonly description?: string | null;
  /** Default `VARIANT_FLAG_TYPE`. */
  readonly type?: 'VARIANT_FLAG_TYPE' | 'BOOLEAN_FLAG_TYPE' | null;
  /** Default false. */
  readonly enabled?: boolean | null;
  /** Read and passed over: no operation of the service shows it. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly variants?: readonly VariantDocument[] | null;
  /** Rank in the order written. Of a variant flag; without effect on a boolean one. */
  readonly rules?: readonly RuleDocument[] | null;
  /** Rank in the order written. Of a boolean flag only. */
  readonly rollouts?: readonly RolloutDocument[] | null;
}

/** One of the answers that a variant flag may have. */
export interface VariantDocument {
  readonly key: string;
  readonly name?: string | null;
  readonly description?: string | null;
  /** The variant served where no rule matches; at most one of a flag. */
  readonly default?: boolean | null;
  /** Any JSON value; under v2 semantics an object or a list. */
  readonly attachment?: unknown;
}

/** The segment by key, or several with an operator (default OR). */
export type SegmentChoiceDocument =
  | string
  | {
      readonly keys: readonly string[];
      readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    };

/** Who of those that the segments match gets which variant. The first rule that matches decides. */
export interface RuleDocument {
  readonly segment: SegmentChoiceDocument;
  readonly distributions?: readonly DistributionDocument[] | null;
}

/** A variant's share. */
export interface DistributionDocument {
  /** A variant's key. */
  readonly variant: string;
  /** Percent, 0 to 100. */
  readonly rollout: number;
}

/** Either a segment (or several) or a threshold. The first rollout that applies decides. */
export interface RolloutDocument {
  readonly description?: string | null;
  readonly segment?: {
    readonly key?: string | null;
    readonly keys?: readonly string[] | null;
    readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    /** What the flag is for those who match; default false. */
    readonly value?: boolean | null;
  } | null;
  readonly threshold?: {
    /** Percent, 0 to 100; may have a fraction. */
    readonly percentage: number;
    /** What the flag is for those under the threshold; default false. */
    readonly value?: boolean | null;
  } | null;
}

/** Those who fulfil its constraints: all of them, or any; without constraints, everybody. */
export interface SegmentDocument {
  readonly key: string;
  /** Default: the key. */
  readonly name?: string | null;
  readonly description?: string | null;
  /** Default `ALL_MATCH_TYPE`. */
  readonly match_type?: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE' | null;
  readonly constraints?: readonly ConstraintDocument[] | null;
}

/** A comparison of one attribute, or of the entity's id. */
export interface ConstraintDocument {
  readonly type:
    | 'STRING_COMPARISON_TYPE'
    | 'NUMBER_COMPARISON_TYPE'
    | 'BOOLEAN_COMPARISON_TYPE'
    | 'DATETIME_COMPARISON_TYPE'
    | 'ENTITY_ID_COMPARISON_TYPE';
  /** The attribute compared; of an entity id always `entityId`. */
  readonly property: string;
  /**
   * Strings and entity ids: `eq neq empty notempty prefix suffix isoneof isnotoneof contains notcontains`; numbers:
   * `eq neq lt lte gt gte present notpresent isoneof isnotoneof`; date-times: the same less the last two; booleans:
   * `true false present notpresent`.
   */
  readonly operator: string;
  /**
   * Text, whatever is compared: a number or a date is quoted, a list is a JSON array in text, of at most 100 members.
   * Not needed by `present`, `empty`, `true` and their like.
   */
  readonly value?: string | null;
  readonly description?: string | null;
}
