/**
 * One document of a features file, in Flipt's import and export format: the features of one namespace.
 * Hand {@link startLocalService} one of them, or a list with one for each namespace.
 */
export interface FeaturesDocument {
  /** The format's version; any is read. Default: none. */
  readonly version?: string | number | null;
  /** The namespace, by key or described. Default `default`. */
  readonly namespace?:
    | string
    | {
        /** Letters, digits, `-`, `_` and `,` of ASCII; one document a namespace. */
        readonly key: string;
        /** For people. Default: the key. */
        readonly name?: string | null;
        /** For people. Default `''`. */
        readonly description?: string | null;
      }
    | null;
  /** The namespace's flags, each key once. Default: none. */
  readonly flags?: readonly FlagDocument[] | null;
  /** The segments that its rules and rollouts name, each key once. Default: none. */
  readonly segments?: readonly SegmentDocument[] | null;
}

/** A flag: with variants and rules, or, of the boolean type, with rollouts. */
export interface FlagDocument {
  /** Letters, digits, `-`, `_` and `,` of ASCII: Flipt's rule. */
  readonly key: string;
  /** For people. Default: the key. */
  readonly name?: string | null;
  /** For people. Default `''`. */
  readonly description?: string | null;
  /** What an answer holds: a variant, or true or false. Default `VARIANT_FLAG_TYPE`. */
  readonly type?: 'VARIANT_FLAG_TYPE' | 'BOOLEAN_FLAG_TYPE' | null;
  /**
   * A variant flag that is not enabled answers as disabled; a boolean flag has this value where no rollout applies.
   * Flipt's rule. Default false.
   */
  readonly enabled?: boolean | null;
  /** Read and passed over: no operation of the service shows it. Default: none. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** The answers that the flag may have, each key once. Default: none. */
  readonly variants?: readonly VariantDocument[] | null;
  /** Rank in the order written. Of a variant flag; without effect on a boolean one. Default: none. */
  readonly rules?: readonly RuleDocument[] | null;
  /** Rank in the order written. Of a boolean flag only. Default: none. */
  readonly rollouts?: readonly RolloutDocument[] | null;
}

/** One of the answers that a variant flag may have. */
export interface VariantDocument {
  /** Any text that is not empty: what a string flag resolves to. */
  readonly key: string;
  /** For people. Default `''`. */
  readonly name?: string | null;
  /** For people. Default `''`. */
  readonly description?: string | null;
  /** Whether it is the variant served where no rule matches; at most one of a flag. Default false. */
  readonly default?: boolean | null;
  /** Any JSON value; under v2 semantics an object or a list, Flipt's rule. Default: none. */
  readonly attachment?: unknown;
}

/** The segment by key, or several with an operator. */
export type SegmentChoiceDocument =
  | string
  | {
      /** Keys of segments of the same document, at least one. */
      readonly keys: readonly string[];
      /** Whether one that matches is enough, or all must. Default `OR_SEGMENT_OPERATOR`. */
      readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    };

/** Which variant the entities get that the segments match. The first rule that matches decides. */
export interface RuleDocument {
  /** The entities it is for. */
  readonly segment: SegmentChoiceDocument;
  /** Shares of variants. Default: none; a match then gives the flag's default variant, if any: Flipt's rule. */
  readonly distributions?: readonly DistributionDocument[] | null;
}

/** A variant's share. */
export interface DistributionDocument {
  /** The key of a variant of the same flag. */
  readonly variant: string;
  /** Percent of those who match, 0 to 100. */
  readonly rollout: number;
}

/** Either a segment (or several) or a threshold. The first rollout that applies decides. */
export interface RolloutDocument {
  /** Read and passed over: no operation of the service shows it. */
  readonly description?: string | null;
  /** For the entities that a segment matches, or several. */
  readonly segment?: {
    /** The key of a segment of the same document; either this or `keys`. */
    readonly key?: string | null;
    /** Keys of several, at least one. */
    readonly keys?: readonly string[] | null;
    /** Whether one that matches is enough, or all must. Default `OR_SEGMENT_OPERATOR`. */
    readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    /** What the flag is for those who match. Default false. */
    readonly value?: boolean | null;
  } | null;
  /** For a share of all entities. */
  readonly threshold?: {
    /** Percent, 0 to 100; may have a fraction. */
    readonly percentage: number;
    /** What the flag is for those under the threshold. Default false. */
    readonly value?: boolean | null;
  } | null;
}

/** Those who fulfil its constraints: all of them, or any; without constraints, everybody. */
export interface SegmentDocument {
  /** Letters, digits, `-`, `_` and `,` of ASCII: Flipt's rule. */
  readonly key: string;
  /** For people. Default: the key. */
  readonly name?: string | null;
  /** For people. Default `''`. */
  readonly description?: string | null;
  /** Whether all constraints must be met, or one. Default `ALL_MATCH_TYPE`. */
  readonly match_type?: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE' | null;
  /** Default: none, which matches everybody: Flipt's rule. */
  readonly constraints?: readonly ConstraintDocument[] | null;
}

/** A comparison of one attribute, or of the entity's id. */
export interface ConstraintDocument {
  /** What both sides are compared as. What cannot be read as that does not match: Flipt's rule. */
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
   * Not needed by `present`, `empty`, `true` and their like. Default `''`.
   */
  readonly value?: string | null;
  /** For people. Default `''`. */
  readonly description?: string | null;
}
