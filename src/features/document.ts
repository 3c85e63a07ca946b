/**
 * The features of one namespace, in the format of Flipt's import and export. {@link startLocalService} takes one
 * document, or a list with one for each namespace.
 */
export interface FeaturesDocument {
  /** The version of the file format; every one is read. Default: none. */
  readonly version?: string | number | null;
  /** The key, or a mapping with key, name and description. Default `default`. */
  readonly namespace?:
    | string
    | {
        /** ASCII letters, digits, `-`, `_` and `,` only, and at most one document for each key. */
        readonly key: string;
        /** For people to read. Default: the key. */
        readonly name?: string | null;
        /** For people to read; evaluation ignores it. Default `''`. */
        readonly description?: string | null;
      }
    | null;
  /** Their keys must differ. Default: none. */
  readonly flags?: readonly FlagDocument[] | null;
  /** Their keys must differ. Default: none. */
  readonly segments?: readonly SegmentDocument[] | null;
}

/** A variant flag has variants and rules; a boolean flag has rollouts. */
export interface FlagDocument {
  /** ASCII letters, digits, `-`, `_` and `,` only. An import of Flipt v1 also accepts other characters. */
  readonly key: string;
  /** For people to read; evaluation ignores it. Default `''`. */
  readonly name?: string | null;
  /** For people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
  /** Gives a variant, or `true` or `false`. Default `VARIANT_FLAG_TYPE`. */
  readonly type?: 'VARIANT_FLAG_TYPE' | 'BOOLEAN_FLAG_TYPE' | null;
  /**
   * Without it, Flipt evaluates no rule of a variant flag. For a boolean flag, it is the value if no rollout applies.
   * Default false.
   */
  readonly enabled?: boolean | null;
  /** For people and tools; evaluation ignores it. Default: none. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** Their keys must differ. Default: none. */
  readonly variants?: readonly VariantDocument[] | null;
  /** For a variant flag; without effect on a boolean flag. Default: none. */
  readonly rules?: readonly RuleDocument[] | null;
  /** For a boolean flag, in the order in which they are tried. A variant flag must have none. Default: none. */
  readonly rollouts?: readonly RolloutDocument[] | null;
}

export interface VariantDocument {
  /** What `getStringValue` gives: any text but `''`. */
  readonly key: string;
  /** For people to read; evaluation ignores it. Default `''`. */
  readonly name?: string | null;
  /** For people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
  /** Entities get the flag's default variant if, for example, no rule matches. At most one per flag. Default false. */
  readonly default?: boolean | null;
  /** Any JSON value; Flipt v2, and the file storage of Flipt v1, take only an object or a list. Default: none. */
  readonly attachment?: unknown;
}

export type SegmentChoiceDocument =
  | string
  | {
      /** Segments of the same document, at least one. */
      readonly keys: readonly string[];
      /**
       * In at least one of the segments (`OR_SEGMENT_OPERATOR`), or in all (`AND_SEGMENT_OPERATOR`). Default
       * `OR_SEGMENT_OPERATOR`.
       */
      readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    };

/** Gives variants to the entities in its segments. Flipt uses the first rule whose segments match. */
export interface RuleDocument {
  readonly segment: SegmentChoiceDocument;
  /**
   * Flipt v1 tries rules in ascending order of rank, those of equal rank in no fixed order (here: as written); Flipt
   * v2 ignores ranks. Default 0: the position in the list, counted from 1.
   */
  readonly rank?: number | null;
  /** Without any, entities that match get the flag's default variant. Default: none. */
  readonly distributions?: readonly DistributionDocument[] | null;
}

export interface DistributionDocument {
  /** The key of a variant of the same flag. */
  readonly variant: string;
  /**
   * The percentage of the matching entities, from 0 to 100. Flipt 2.9 and newer scale a rule's percentages to 100 in
   * all.
   */
  readonly rollout: number;
}

/** Gives a value to the entities in segments, or to a percentage of all. Flipt uses the first rollout that applies. */
export interface RolloutDocument {
  /** For people to read. It is checked, but not stored, because no operation of the embedded service shows it. */
  readonly description?: string | null;
  readonly segment?: {
    /** A segment of the same document. Not together with `keys`. */
    readonly key?: string | null;
    /** Segments of the same document, at least one. Not together with `key`. */
    readonly keys?: readonly string[] | null;
    /**
     * In at least one of the segments (`OR_SEGMENT_OPERATOR`), or in all (`AND_SEGMENT_OPERATOR`). Default
     * `OR_SEGMENT_OPERATOR`.
     */
    readonly operator?: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | null;
    /** Default false. */
    readonly value?: boolean | null;
  } | null;
  readonly threshold?: {
    /** From 0 to 100, also with a fraction. */
    readonly percentage: number;
    /** Default false. */
    readonly value?: boolean | null;
  } | null;
}

/** Contains the entities that meet its constraints; all entities if it has none. */
export interface SegmentDocument {
  /** ASCII letters, digits, `-`, `_` and `,` only. An import of Flipt v1 also accepts other characters. */
  readonly key: string;
  /** For people to read; evaluation ignores it. Default `''`. */
  readonly name?: string | null;
  /** For people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
  /** All constraints (`ALL_MATCH_TYPE`), or at least one (`ANY_MATCH_TYPE`). Default `ALL_MATCH_TYPE`. */
  readonly match_type?: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE' | null;
  /** Default: none, so that the segment contains every entity. */
  readonly constraints?: readonly ConstraintDocument[] | null;
}

/** Tests one attribute of an entity, or the entity's id. */
export interface ConstraintDocument {
  /**
   * As what the attribute and the value are parsed. What cannot be parsed does not match, except for `present` and
   * `notpresent`, which parse neither.
   */
  readonly type:
    | 'STRING_COMPARISON_TYPE'
    | 'NUMBER_COMPARISON_TYPE'
    | 'BOOLEAN_COMPARISON_TYPE'
    | 'DATETIME_COMPARISON_TYPE'
    | 'ENTITY_ID_COMPARISON_TYPE';
  /** The attribute's name. For a constraint on the entity's id, any name; the usual one is `entityId`. */
  readonly property: string;
  /**
   * For strings and entity ids: `eq neq empty notempty prefix suffix isoneof isnotoneof contains notcontains`. For
   * numbers: `eq neq lt lte gt gte present notpresent isoneof isnotoneof`. For date-times: `eq neq lt lte gt gte
   * present notpresent`. For booleans: `true false present notpresent`.
   */
  readonly operator: string;
  /**
   * Text: put numbers and dates in quotes, and write a list as a JSON array in quotes. For Flipt v1, a list has at
   * most 100 members, as in Flipt's management API. From 2.11 on, with version 1.6 of the format, `isoneof` and
   * `isnotoneof` also take a list without quotes. Default `''`, for operators such as `present`.
   */
  readonly value?: string | readonly string[] | readonly number[] | null;
  /** For people to read; evaluation ignores it. Default `''`. */
  readonly description?: string | null;
}
