/**
 * One document of a features file, in Flipt's import and export format: the features of one namespace. Hand
 * {@link startLocalService} one document, or a list with one for each namespace.
 */
export interface FeaturesDocument {
  /** The version of the format; every version is read. Default: none. */
  readonly version?: string | number | null;
  /** The namespace: its key, or a description with its key. Default `default`. */
  readonly namespace?:
    | string
    | {
        /** ASCII letters, digits, `-`, `_` and `,`. Each namespace has only one document. */
        readonly key: string;
        /** For people. Default: the key. */
        readonly name?: string | null;
        /** For people. Default `''`. */
        readonly description?: string | null;
      }
    | null;
  /** The namespace's flags, each key only once. Default: none. */
  readonly flags?: readonly FlagDocument[] | null;
  /** The segments that the document's rules and rollouts name, each key only once. Default: none. */
  readonly segments?: readonly SegmentDocument[] | null;
}

/** A flag. A variant flag has variants and rules; a boolean flag has rollouts. */
export interface FlagDocument {
  /** ASCII letters, digits, `-`, `_` and `,`: Flipt's rule. */
  readonly key: string;
  /** For people. Default `''`. */
  readonly name?: string | null;
  /** For people. Default `''`. */
  readonly description?: string | null;
  /** Whether an answer is a variant, or true or false. Default `VARIANT_FLAG_TYPE`. */
  readonly type?: 'VARIANT_FLAG_TYPE' | 'BOOLEAN_FLAG_TYPE' | null;
  /**
   * A variant flag that is not enabled answers that it is disabled. A boolean flag has this value if no rollout
   * applies. Flipt's rules. Default false.
   */
  readonly enabled?: boolean | null;
  /** For people and tools: the list of flags shows it, and no evaluation reads it. Default: none. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** The variants that the flag may answer with, each key only once. Default: none. */
  readonly variants?: readonly VariantDocument[] | null;
  /** The rules of a variant flag. Without effect on a boolean flag. Default: none. */
  readonly rules?: readonly RuleDocument[] | null;
  /** The rollouts of a boolean flag, in the order of their ranks. Not allowed on a variant flag. Default: none. */
  readonly rollouts?: readonly RolloutDocument[] | null;
}

/** A variant that a flag may answer with. */
export interface VariantDocument {
  /** Any text that is not empty. A flag that is read as a string has this value. */
  readonly key: string;
  /** For people. Default `''`. */
  readonly name?: string | null;
  /** For people. Default `''`. */
  readonly description?: string | null;
  /** Whether this variant is used if no rule matches. A flag has at most one default. Default false. */
  readonly default?: boolean | null;
  /** Any JSON value. With v2 semantics only an object or a list: Flipt's rule. Default: none. */
  readonly attachment?: unknown;
}

/** The key of one segment, or the keys of several with an operator. */
export type SegmentChoiceDocument =
  | string
  | {
      /** Keys of segments of the same document; at least one. */
      readonly keys: readonly string[];
      /** Whether one matching segment is enough, or all must match. Default `OR_SEGMENT_OPERATOR`. */
      readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    };

/** Gives variants to the entities in its segments. The first rule that matches decides. */
export interface RuleDocument {
  /** The segments whose entities match. */
  readonly segment: SegmentChoiceDocument;
  /**
   * With v1 semantics, rules apply in ascending order of rank; of equal ranks, in the order written, where Flipt has no
   * fixed order. Flipt v2 ignores it. Default 0: the rule's position, from 1.
   */
  readonly rank?: number | null;
  /** Shares of variants. Default: none. A match then gives the flag's default variant, if it has one: Flipt's rule. */
  readonly distributions?: readonly DistributionDocument[] | null;
}

/** A variant's share. */
export interface DistributionDocument {
  /** The key of a variant of the same flag. */
  readonly variant: string;
  /** Percent of the matching entities, 0 to 100. */
  readonly rollout: number;
}

/**
 * Either for segments (`segment`) or for a share of all entities (`threshold`). The first rollout that applies decides.
 */
export interface RolloutDocument {
  /** Read but not used: no operation of the service shows it. */
  readonly description?: string | null;
  /** For the entities in a segment, or in several. */
  readonly segment?: {
    /** The key of a segment of the same document. Excludes `keys`. */
    readonly key?: string | null;
    /** Keys of several segments, at least one. Excludes `key`. */
    readonly keys?: readonly string[] | null;
    /** Whether one matching segment is enough, or all must match. Default `OR_SEGMENT_OPERATOR`. */
    readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    /** The flag's value for the matching entities. Default false. */
    readonly value?: boolean | null;
  } | null;
  /** For a share of all entities. */
  readonly threshold?: {
    /** Percent, 0 to 100; may have a fraction. */
    readonly percentage: number;
    /** The flag's value for the entities under the threshold. Default false. */
    readonly value?: boolean | null;
  } | null;
}

/** The entities that meet its constraints: all of them, or any of them. Without constraints, every entity. */
export interface SegmentDocument {
  /** ASCII letters, digits, `-`, `_` and `,`: Flipt's rule. */
  readonly key: string;
  /** For people. Default `''`. */
  readonly name?: string | null;
  /** For people. Default `''`. */
  readonly description?: string | null;
  /** Whether all constraints must match, or one. Default `ALL_MATCH_TYPE`. */
  readonly match_type?: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE' | null;
  /** What an entity must meet. Default: none, which matches every entity: Flipt's rule. */
  readonly constraints?: readonly ConstraintDocument[] | null;
}

/** A comparison of one attribute, or of the entity's id. */
export interface ConstraintDocument {
  /**
   * The type that both sides are compared as. A value that cannot be read as this type does not match: Flipt's rule.
   */
  readonly type:
    | 'STRING_COMPARISON_TYPE'
    | 'NUMBER_COMPARISON_TYPE'
    | 'BOOLEAN_COMPARISON_TYPE'
    | 'DATETIME_COMPARISON_TYPE'
    | 'ENTITY_ID_COMPARISON_TYPE';
  /** The attribute to compare. For the entity's id, any name; by convention `entityId`. */
  readonly property: string;
  /**
   * Strings and entity ids: `eq neq empty notempty prefix suffix isoneof isnotoneof contains notcontains`; numbers: `eq
   * neq lt lte gt gte present notpresent isoneof isnotoneof`; date-times: the same less the last two; booleans: `true
   * false present notpresent`.
   */
  readonly operator: string;
  /**
   * Always text: put numbers and dates in quotes, and write a list as a JSON array in quotes, with v1 semantics of at
   * most 100 members. With v2 semantics, `isoneof` and `isnotoneof` also take a list, from version 1.6 of the format on.
   * `present`, `empty`, `true` and similar operators need no value. Default `''`.
   */
  readonly value?: string | readonly string[] | readonly number[] | null;
  /** For people. Default `''`. */
  readonly description?: string | null;
}
