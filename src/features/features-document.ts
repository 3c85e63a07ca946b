/**
 * One document of a features file, in the format of Flipt's import and export. A document holds the features of one
 * namespace. You can pass one document to {@link startLocalService}, or a list with one for each namespace.
 */
export interface FeaturesDocument {
  /** The version of the format. This package reads documents of every version of the format. Default: none. */
  readonly version?: string | number | null;
  /** The namespace: either its key, or a mapping with its key, name and description. Default `default`. */
  readonly namespace?:
    | string
    | {
        /**
         * The namespace's key. The key of the namespace, which can contain only ASCII letters, digits, `-`, `_` and
         * `,`. Each namespace may have only one document.
         */
        readonly key: string;
        /** A name for people to read. Default: the key. */
        readonly name?: string | null;
        /** A description for people to read; evaluation ignores it. Default `''`. */
        readonly description?: string | null;
      }
    | null;
  /** The namespace's flags. Each key may occur only once. Default: none. */
  readonly flags?: readonly FlagDocument[] | null;
  /** The segments that the document's rules and rollouts name. Each key may occur only once. Default: none. */
  readonly segments?: readonly SegmentDocument[] | null;
}

/** A flag. A variant flag has variants and rules; a boolean flag has rollouts. */
export interface FlagDocument {
  /** The key, which may hold ASCII letters, digits, `-`, `_` and `,`. This rule is Flipt's. */
  readonly key: string;
  /** A name for people to read; evaluation ignores it. Default `''`. */
  readonly name?: string | null;
  /** A description for people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
  /** Whether the flag answers with a variant, or with true or false. Default `VARIANT_FLAG_TYPE`. */
  readonly type?: 'VARIANT_FLAG_TYPE' | 'BOOLEAN_FLAG_TYPE' | null;
  /**
   * Whether the flag is enabled. A variant flag that is not enabled answers that it is disabled. A boolean flag answers
   * with the value of `enabled` if no rollout applies. Both rules are Flipt's. Default false.
   */
  readonly enabled?: boolean | null;
  /** Data for people and tools. Flipt's list of flags shows it, and evaluation does not read it. Default: none. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** The variants with which the flag can answer. Each key may occur only once. Default: none. */
  readonly variants?: readonly VariantDocument[] | null;
  /** The rules of a variant flag. Rules have no effect on a boolean flag. Default: none. */
  readonly rules?: readonly RuleDocument[] | null;
  /**
   * The rollouts of a boolean flag, in the order in which they are tried. A variant flag must not have rollouts.
   * Default: none.
   */
  readonly rollouts?: readonly RolloutDocument[] | null;
}

/** A variant with which a flag can answer. */
export interface VariantDocument {
  /** The variant's key, which is any text that is not empty. `getStringValue` returns it. */
  readonly key: string;
  /** A name for people to read; evaluation ignores it. Default `''`. */
  readonly name?: string | null;
  /** A description for people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
  /** Whether callers get this variant if no rule matches. A flag has at most one default variant. Default false. */
  readonly default?: boolean | null;
  /** Any JSON value. With v2 semantics, Flipt takes only an object or a list. Default: none. */
  readonly attachment?: unknown;
}

/** The key of one segment, or the keys of several segments with an operator. */
export type SegmentChoiceDocument =
  | string
  | {
      /** The keys of segments of the same document. At least one key is needed. */
      readonly keys: readonly string[];
      /**
       * Whether an entity must be in at least one of the segments (`OR_SEGMENT_OPERATOR`), or in all of them
       * (`AND_SEGMENT_OPERATOR`). Default `OR_SEGMENT_OPERATOR`.
       */
      readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    };

/** A rule gives variants to the entities in its segments. The first rule that matches decides. */
export interface RuleDocument {
  /** The segments whose entities the rule applies to. */
  readonly segment: SegmentChoiceDocument;
  /**
   * The rank of the rule. With v1 semantics, rules apply in ascending order of rank. Rules of equal rank apply in the
   * order in which they are written; Flipt itself has no fixed order for rules of equal rank. Flipt v2 ignores ranks.
   * Default 0, which stands for the rule's position in the list, counted from 1.
   */
  readonly rank?: number | null;
  /**
   * The shares of variants. If the rule has no distributions, the entities that match the rule get the flag's default
   * variant, if the flag has one. This rule is Flipt's. Default: none.
   */
  readonly distributions?: readonly DistributionDocument[] | null;
}

/** The share of one variant. */
export interface DistributionDocument {
  /** The key of a variant of the same flag. */
  readonly variant: string;
  /** The percentage of the matching entities that get the variant, from 0 to 100. */
  readonly rollout: number;
}

/**
 * A rollout gives a value either to the entities in segments (`segment`) or to a share of all entities (`threshold`).
 * The first rollout that applies decides.
 */
export interface RolloutDocument {
  /**
   * A description for people to read. The type of the description is checked, but the description is not stored,
   * because no operation of the service shows it.
   */
  readonly description?: string | null;
  /** Gives the value to the entities in one segment, or in several. */
  readonly segment?: {
    /** The key of a segment of the same document. You cannot give both `key` and `keys`. */
    readonly key?: string | null;
    /**
     * The keys of several segments of the same document. At least one key is needed. You cannot give both `key` and
     * `keys`.
     */
    readonly keys?: readonly string[] | null;
    /**
     * Whether an entity must be in at least one of the segments (`OR_SEGMENT_OPERATOR`), or in all of them
     * (`AND_SEGMENT_OPERATOR`). Default `OR_SEGMENT_OPERATOR`.
     */
    readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    /** The flag's value for the matching entities. Default false. */
    readonly value?: boolean | null;
  } | null;
  /** Gives the value to a share of all entities. */
  readonly threshold?: {
    /** The percentage of entities that are under the threshold, from 0 to 100. The percentage may have a fraction. */
    readonly percentage: number;
    /** The flag's value for the entities under the threshold. Default false. */
    readonly value?: boolean | null;
  } | null;
}

/**
 * A segment contains the entities that meet all of its constraints or, depending on `match_type`, at least one of them.
 * A segment without constraints contains every entity.
 */
export interface SegmentDocument {
  /** The key, which may hold ASCII letters, digits, `-`, `_` and `,`. This rule is Flipt's. */
  readonly key: string;
  /** A name for people to read; evaluation ignores it. Default `''`. */
  readonly name?: string | null;
  /** A description for people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
  /**
   * Whether an entity must meet all constraints (`ALL_MATCH_TYPE`), or at least one (`ANY_MATCH_TYPE`). Default
   * `ALL_MATCH_TYPE`.
   */
  readonly match_type?: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE' | null;
  /**
   * The constraints that an entity must meet to be in the segment. Without constraints, the segment matches every
   * entity. This rule is Flipt's. Default: none.
   */
  readonly constraints?: readonly ConstraintDocument[] | null;
}

/** A constraint compares one attribute of an entity, or the entity's id, with a value. */
export interface ConstraintDocument {
  /**
   * The type as which the attribute and the value are compared. A value that cannot be read as this type does not
   * match. This rule is Flipt's.
   */
  readonly type:
    | 'STRING_COMPARISON_TYPE'
    | 'NUMBER_COMPARISON_TYPE'
    | 'BOOLEAN_COMPARISON_TYPE'
    | 'DATETIME_COMPARISON_TYPE'
    | 'ENTITY_ID_COMPARISON_TYPE';
  /** The name of the attribute to compare. For the entity's id, you can write any name; the usual one is `entityId`. */
  readonly property: string;
  /**
   * The operator, which decides how the attribute and the value are compared. For strings and entity ids: `eq neq empty
   * notempty prefix suffix isoneof isnotoneof contains notcontains`. For numbers: `eq neq lt lte gt gte present
   * notpresent isoneof isnotoneof`. For date-times: `eq neq lt lte gt gte present notpresent`. For booleans: `true
   * false present notpresent`.
   */
  readonly operator: string;
  /**
   * The value with which the attribute is compared. The value is a text: put numbers and dates in quotes, and write a
   * list as a JSON array in quotes. With v1 semantics, a list has at most 100 members. With v2 semantics, `isoneof` and
   * `isnotoneof` also take a list without quotes, from version 1.6 of the format on. Operators such as `present`,
   * `empty` and `true` need no value. Default `''`.
   */
  readonly value?: string | readonly string[] | readonly number[] | null;
  /** A description for people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
}
