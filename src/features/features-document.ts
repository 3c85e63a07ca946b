/**
 * One document of a features file, in the format of Flipt's import and export. A document holds the features of one
 * namespace. You can pass one document to {@link startLocalService}, or a list with one for each namespace.
 */
export interface FeaturesDocument {
  /** The version of the format. Documents of every version are read. Default: none. */
  readonly version?: string | number | null;
  /** The namespace: either its key, or a mapping with its key, name and description. Default `default`. */
  readonly namespace?:
    | string
    | {
        /**
         * The namespace's key. The key may hold ASCII letters, digits, `-`, `_` and `,`. Each namespace may have only
         * one document.
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
   * with this value if no rollout applies. Both rules are Flipt's. Default false.
   */
  readonly enabled?: boolean | null;
  /** Data for people and tools. Flipt's list of flags shows it, and evaluation does not read it. Default: none. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** The variants that the flag may answer with. Each key may occur only once. Default: none. */
  readonly variants?: readonly VariantDocument[] | null;
  /** The rules of a variant flag. Rules have no effect on a boolean flag. Default: none. */
  readonly rules?: readonly RuleDocument[] | null;
  /**
   * The rollouts of a boolean flag, in the order in which they are tried. A variant flag must not have any. Default:
   * none.
   */
  readonly rollouts?: readonly RolloutDocument[] | null;
}

/** A variant that a flag may answer with. */
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
      /** Whether an entity must be in one of the segments, or in all of them. Default `OR_SEGMENT_OPERATOR`. */
      readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    };

/** A rule gives variants to the entities in its segments. The first rule that matches decides. */
export interface RuleDocument {
  /** The segments whose entities the rule applies to. */
  readonly segment: SegmentChoiceDocument;
  /**
   * The rank of the rule. With v1 semantics, rules apply in ascending order of rank. Rules of equal rank apply in the
   * order in which they are written; Flipt itself has no fixed order for these. Flipt v2 ignores ranks. Default 0,
   * which stands for the rule's position, counted from 1.
   */
  readonly rank?: number | null;
  /**
   * The shares of variants. If there are none, a match gives the flag's default variant, if it has one. This rule is
   * Flipt's. Default: none.
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
   * A description for people to read. The description is checked but not kept, because no operation of the service
   * shows it.
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
    /** Whether an entity must be in one of the segments, or in all of them. Default `OR_SEGMENT_OPERATOR`. */
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
 * A segment holds the entities that meet all of its constraints, or any of them. A segment without constraints holds
 * every entity.
 */
export interface SegmentDocument {
  /** The key, which may hold ASCII letters, digits, `-`, `_` and `,`. This rule is Flipt's. */
  readonly key: string;
  /** A name for people to read; evaluation ignores it. Default `''`. */
  readonly name?: string | null;
  /** A description for people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
  /** Whether an entity must meet all constraints, or one. Default `ALL_MATCH_TYPE`. */
  readonly match_type?: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE' | null;
  /**
   * What an entity must meet. Without constraints, the segment matches every entity. This rule is Flipt's. Default:
   * none.
   */
  readonly constraints?: readonly ConstraintDocument[] | null;
}

/** A constraint compares one attribute, or the entity's id. */
export interface ConstraintDocument {
  /**
   * The type that both sides are compared as. A value that cannot be read as this type does not match. This rule is
   * Flipt's.
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
   * How the two are compared. For strings and entity ids: `eq neq empty notempty prefix suffix isoneof isnotoneof
   * contains notcontains`. For numbers: `eq neq lt lte gt gte present notpresent isoneof isnotoneof`. For date-times:
   * the same without the last two. For booleans: `true false present notpresent`.
   */
  readonly operator: string;
  /**
   * What the attribute is compared with. The value is a text: put numbers and dates in quotes, and write a list as a
   * JSON array in quotes. With v1 semantics, a list has at most 100 members. With v2 semantics, `isoneof` and
   * `isnotoneof` also take a list without quotes, from version 1.6 of the format on. Operators such as `present`,
   * `empty` and `true` need no value. Default `''`.
   */
  readonly value?: string | readonly string[] | readonly number[] | null;
  /** A description for people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
}
