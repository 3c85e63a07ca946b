/**
 * One document of a features file, in the format of Flipt's import and export. A document holds the features of one
 * namespace. You can pass one document to {@link startLocalService}, or a list with one document for each namespace.
 */
export interface FeaturesDocument {
  /** The version of the file format. This package reads documents of every version of the format. Default: none. */
  readonly version?: string | number | null;
  /** The namespace: either its key, or a mapping with its key, name and description. Default `default`. */
  readonly namespace?:
    | string
    | {
        /**
         * The namespace's key, which can contain only ASCII letters, digits, `-`, `_` and `,`. Two documents cannot
         * have the same namespace.
         */
        readonly key: string;
        /** A name for people to read. Default: the key. */
        readonly name?: string | null;
        /** A description for people to read; evaluation ignores it. Default `''`. */
        readonly description?: string | null;
      }
    | null;
  /** The namespace's flags. Two flags cannot have the same key. Default: none. */
  readonly flags?: readonly FlagDocument[] | null;
  /** The segments that the document's rules and rollouts name. Two segments cannot have the same key. Default: none. */
  readonly segments?: readonly SegmentDocument[] | null;
}

/** A flag. A variant flag has variants and rules; a boolean flag has rollouts. */
export interface FlagDocument {
  /**
   * The key, which can contain only ASCII letters, digits, `-`, `_` and `,`. An import of Flipt v1 also accepts other
   * characters.
   */
  readonly key: string;
  /** A name for people to read; evaluation ignores it. Default `''`. */
  readonly name?: string | null;
  /** A description for people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
  /** The type decides whether the flag gives a variant, or `true` or `false`. Default `VARIANT_FLAG_TYPE`. */
  readonly type?: 'VARIANT_FLAG_TYPE' | 'BOOLEAN_FLAG_TYPE' | null;
  /**
   * Whether the flag is enabled. If a variant flag is not enabled, Flipt evaluates none of its rules. A boolean flag
   * gives the value of `enabled` if none of its rollouts applies. Default false.
   */
  readonly enabled?: boolean | null;
  /**
   * Additional data about the flag, for people and tools. Flipt shows this data in its list of flags, but evaluation
   * ignores the data. Default: none.
   */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** The variants that the flag can give. Two variants of a flag cannot have the same key. Default: none. */
  readonly variants?: readonly VariantDocument[] | null;
  /** The rules of a variant flag. Rules have no effect on a boolean flag. Default: none. */
  readonly rules?: readonly RuleDocument[] | null;
  /**
   * The rollouts of a boolean flag, in the order in which they are tried. A variant flag must not have rollouts.
   * Default: none.
   */
  readonly rollouts?: readonly RolloutDocument[] | null;
}

/** A variant that a flag can give. */
export interface VariantDocument {
  /** The variant's key, which can be any text except the empty text. `getStringValue` returns this key. */
  readonly key: string;
  /** A name for people to read; evaluation ignores it. Default `''`. */
  readonly name?: string | null;
  /** A description for people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
  /**
   * Whether this is the flag's default variant, which entities get, for example, if no rule matches them. A flag can
   * have at most one default variant. Default false.
   */
  readonly default?: boolean | null;
  /** Any JSON value. Flipt v2, and the file storage of Flipt v1, accept only an object or a list. Default: none. */
  readonly attachment?: unknown;
}

/** The key of one segment, or the keys of several segments with an operator. */
export type SegmentChoiceDocument =
  | string
  | {
      /** The keys of one or more segments of the same document. */
      readonly keys: readonly string[];
      /**
       * Whether an entity must be in at least one of the segments (`OR_SEGMENT_OPERATOR`), or in all of them
       * (`AND_SEGMENT_OPERATOR`). Default `OR_SEGMENT_OPERATOR`.
       */
      readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    };

/** A rule gives variants to the entities in its segments. Flipt uses the first rule whose segments match. */
export interface RuleDocument {
  /** The segments to whose entities the rule applies. */
  readonly segment: SegmentChoiceDocument;
  /**
   * The rank of the rule. Flipt v1 tries rules in ascending order of rank, and Flipt v2 ignores ranks. This package
   * tries rules of equal rank in the order in which they are written, whereas Flipt v1 has no fixed order for rules of
   * equal rank. Default 0, which stands for the rule's position in the list, counted from 1.
   */
  readonly rank?: number | null;
  /**
   * The shares of the variants. If a rule has no distributions, the entities that match the rule get the flag's default
   * variant, if the flag has one. Default: none.
   */
  readonly distributions?: readonly DistributionDocument[] | null;
}

/** The share of one variant in a rule. */
export interface DistributionDocument {
  /** The key of a variant of the same flag. */
  readonly variant: string;
  /**
   * The percentage of the matching entities that get the variant, from 0 to 100. Flipt 2.9 and newer scale the
   * percentages of a rule so that they add up to 100.
   */
  readonly rollout: number;
}

/**
 * A rollout gives a value either to the entities in segments (`segment`) or to a percentage of all entities
 * (`threshold`). Flipt uses the first rollout that applies to the entity.
 */
export interface RolloutDocument {
  /**
   * A description for people to read. This package checks that the description is a text, but does not store it,
   * because no operation of the embedded service returns the description of a rollout.
   */
  readonly description?: string | null;
  /** Gives the value to the entities in one segment, or in several. */
  readonly segment?: {
    /** The key of a segment of the same document. You cannot give both `key` and `keys`. */
    readonly key?: string | null;
    /** The keys of one or more segments of the same document. You cannot give both `key` and `keys`. */
    readonly keys?: readonly string[] | null;
    /**
     * Whether an entity must be in at least one of the segments (`OR_SEGMENT_OPERATOR`), or in all of them
     * (`AND_SEGMENT_OPERATOR`). Default `OR_SEGMENT_OPERATOR`.
     */
    readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    /** The flag's value for the matching entities. Default false. */
    readonly value?: boolean | null;
  } | null;
  /** Gives the value to a percentage of all entities. */
  readonly threshold?: {
    /** The percentage of all entities that get the value, from 0 to 100. The percentage can have a fraction. */
    readonly percentage: number;
    /** The flag's value for this percentage of entities. Default false. */
    readonly value?: boolean | null;
  } | null;
}

/**
 * A segment contains the entities that meet all constraints of the segment or, if `match_type` is `ANY_MATCH_TYPE`, at
 * least one of the constraints. A segment without constraints contains every entity.
 */
export interface SegmentDocument {
  /**
   * The key, which can contain only ASCII letters, digits, `-`, `_` and `,`. An import of Flipt v1 also accepts other
   * characters.
   */
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
   * The constraints that an entity must meet to be in the segment. A segment without constraints contains every entity.
   * Default: none.
   */
  readonly constraints?: readonly ConstraintDocument[] | null;
}

/** A constraint tests one attribute of an entity, or the entity's id. */
export interface ConstraintDocument {
  /**
   * The type of the comparison: Flipt parses the attribute and the value as this type. If the operator has to parse the
   * attribute or the value, and it cannot be parsed as this type, the constraint does not match. The operators
   * `present` and `notpresent` parse neither of them.
   */
  readonly type:
    | 'STRING_COMPARISON_TYPE'
    | 'NUMBER_COMPARISON_TYPE'
    | 'BOOLEAN_COMPARISON_TYPE'
    | 'DATETIME_COMPARISON_TYPE'
    | 'ENTITY_ID_COMPARISON_TYPE';
  /**
   * The name of the attribute to compare. If the constraint is on the entity's id, you can write any name; the usual
   * name is `entityId`.
   */
  readonly property: string;
  /**
   * The operator, which decides how the attribute and the value are compared. The operators for strings and entity ids
   * are `eq neq empty notempty prefix suffix isoneof isnotoneof contains notcontains`. The operators for numbers are
   * `eq neq lt lte gt gte present notpresent isoneof isnotoneof`. The operators for date-times are `eq neq lt lte gt
   * gte present notpresent`. The operators for booleans are `true false present notpresent`.
   */
  readonly operator: string;
  /**
   * The value with which the attribute is compared. The value is a text: put numbers and dates in quotes, and write a
   * list as a JSON array in quotes. For Flipt v1, this package refuses a list of more than 100 members, as Flipt's
   * management API does. In Flipt 2.11 and newer, `isoneof` and `isnotoneof` also accept a list without quotes, from
   * version 1.6 of the file format on. Operators such as `present`, `empty` and `true` need no value. Default `''`.
   */
  readonly value?: string | readonly string[] | readonly number[] | null;
  /** A description for people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
}
