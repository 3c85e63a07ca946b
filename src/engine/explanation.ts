/** The reasons why a flag has its value for an entity. All members are plain JSON values. */
export interface Explanation {
  /** The namespace's key. */
  readonly namespace: string;
  /** The flag's key. */
  readonly flag: string;
  /** The entity's id: the targeting key of the context, or `''` if the context has none. */
  readonly entity: string;
  /** The answer that evaluation gives. */
  readonly answer: ExplainedAnswer;
  /** What decided the answer, such as a rule, a rollout, or the fact that the flag is disabled. */
  readonly decidedBy: ExplainedDecision;
  /**
   * All rules or rollouts of the flag in the order of evaluation, including the steps after the one that decided. The
   * list is empty if the flag is missing or unreadable.
   */
  readonly steps: readonly ExplainedStep[];
}

/**
 * Flipt's answer: the value of a boolean flag, the variant of a variant flag, or the information that there is no such
 * flag. If this version of the package cannot evaluate the flag, only Flipt can give the answer.
 */
export type ExplainedAnswer =
  | {
      /** There is no such flag. */
      readonly kind: 'missing';
    }
  | {
      /** The flag exists; Flipt can evaluate the flag, but this version of the package cannot. */
      readonly kind: 'unreadable';
      /** Says which place in the flag cannot be read, what was expected there, and what was found. */
      readonly reason: string;
    }
  | {
      /** A boolean flag's answer. */
      readonly kind: 'boolean';
      /** The flag's value. */
      readonly enabled: boolean;
      /** Flipt's reason: `MATCH`, or `DEFAULT` if no rollout applied. */
      readonly reason: string;
      /**
       * The keys of those segments of the deciding rollout that matched. The list is empty if a threshold decided, or
       * if no rollout applied.
       */
      readonly segmentKeys: readonly string[];
    }
  | {
      /** A variant flag's answer. */
      readonly kind: 'variant';
      /**
       * Is `true` if the segments of a rule matched the entity, and the rule's distributions did not leave the entity
       * out.
       */
      readonly match: boolean;
      /** The variant's key, or `''` if the flag gives no variant. */
      readonly variant: string;
      /**
       * The variant's attachment as JSON text. The text is `''` (or, with Flipt v2, `null`) if the variant has no
       * attachment, and `''` if the flag gives no variant.
       */
      readonly attachment: string;
      /**
       * Flipt's reason: `MATCH`, `DEFAULT` or `FLAG_DISABLED`. For an enabled flag without a default variant, the
       * reason is `UNKNOWN` if `match` is `false`.
       */
      readonly reason: string;
      /** The keys of those segments of the deciding rule that matched, or an empty list if no rule applied. */
      readonly segmentKeys: readonly string[];
    };

/** What decides an answer. */
export type ExplainedDecision =
  | {
      /**
       * - `missing`: there is no such flag.
       * - `unreadable`: Flipt can evaluate the flag, but this version of the package cannot.
       * - `disabled`: the variant flag is not enabled.
       * - `none`: no rule or rollout applied.
       */
      readonly by: 'missing' | 'unreadable' | 'disabled' | 'none';
    }
  | {
      /** A rule or a rollout decided. */
      readonly by: 'step';
      /** The number of the rule or rollout that decided, counted from 1. */
      readonly number: number;
    };

/** A rule or rollout of the flag, with its outcome. */
export type ExplainedStep = (ExplainedRule | ExplainedRollout | ExplainedThreshold) & {
  /** Whether the rule or rollout decided, did not apply, or was not reached. */
  readonly outcome: StepOutcome;
};

/**
 * The outcome of a rule or rollout. `not-reached` means that an earlier rule or rollout decided, or that the flag is a
 * disabled variant flag. Even a rule or rollout that was not reached has the results of its comparisons in the
 * explanation.
 */
export type StepOutcome = 'applied' | 'did-not-apply' | 'not-reached';

/** A rule of a variant flag. */
export interface ExplainedRule {
  /** Distinguishes rules, rollouts to segments, and threshold rollouts. */
  readonly kind: 'rule';
  /**
   * Whether an entity must be in at least one of the segments, or in all of them. The value is a number if this package
   * has no name for Flipt's operator.
   */
  readonly operator: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | number;
  /** The segments that the rule or rollout names, each with the values that were compared. */
  readonly segments: readonly ExplainedSegment[];
  /**
   * How the rule divides its entities among variants. The member is absent if the segments do not match, or if no
   * distribution of the rule has a percentage above 0.
   */
  readonly sharing?: ExplainedSharing;
}

/** A boolean flag's rollout to segments. */
export interface ExplainedRollout {
  /** Distinguishes rules, rollouts to segments, and threshold rollouts. */
  readonly kind: 'rollout';
  /** The value that the flag has if this rollout decides. */
  readonly value: boolean;
  /**
   * Whether an entity must be in at least one of the segments, or in all of them. The value is a number if this package
   * has no name for Flipt's operator.
   */
  readonly operator: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | number;
  /** The segments that the rule or rollout names, each with the values that were compared. */
  readonly segments: readonly ExplainedSegment[];
}

/** A rollout of a boolean flag to a percentage of all entities. */
export interface ExplainedThreshold {
  /** Distinguishes rules, rollouts to segments, and threshold rollouts. */
  readonly kind: 'threshold';
  /** The value that the flag has if this rollout decides. */
  readonly value: boolean;
  /** The rollout applies to an entity if the entity's `percent` is below this number. */
  readonly percentage: number;
  /**
   * The entity's number from 0 to 99, which decides whether the rollout applies. The number is computed from the key of
   * the flag and the id of the entity.
   */
  readonly percent: number;
}

/** A segment of a rule or rollout. */
export interface ExplainedSegment {
  /** The segment's key. */
  readonly key: string;
  /** Whether the entity is in the segment. */
  readonly matched: boolean;
  /**
   * Whether an entity must meet all constraints of the segment, or at least one of them. The value is a number if this
   * package has no name for Flipt's match type. The member is absent if there is no segment with this key.
   */
  readonly matchType?: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE' | number;
  /** The constraints of the segment, each with the value that was compared. */
  readonly constraints: readonly ExplainedConstraint[];
}

/** A constraint, and the value that it was compared with. */
export interface ExplainedConstraint {
  /**
   * The type of the comparison. The type decides which operators are possible, and as what the two values are parsed
   * before they are compared.
   */
  readonly type:
    | 'STRING_COMPARISON_TYPE'
    | 'NUMBER_COMPARISON_TYPE'
    | 'BOOLEAN_COMPARISON_TYPE'
    | 'DATETIME_COMPARISON_TYPE'
    | 'ENTITY_ID_COMPARISON_TYPE';
  /** The attribute that is compared. The property has no meaning for a constraint on the entity id. */
  readonly property: string;
  /** Flipt's word for the operator, such as `eq`, `prefix` or `gte`. */
  readonly operator: string;
  /** The constraint's own value. */
  readonly value: string;
  /** The entity's value that was compared. The member is absent if the entity does not have the attribute. */
  readonly seen?: string;
  /**
   * The name of another attribute of the entity that is spelt almost like the missing attribute. The member is absent
   * if the attribute is not missing, or if no attribute has a similar name.
   */
  readonly like?: string;
  /** Whether the constraint matched. */
  readonly matched: boolean;
  /** Why the constraint did not match. The member is absent if the constraint matched. */
  readonly why?: ConstraintMismatch;
}

/**
 * Why a constraint did not match:
 *
 * - `missing`: the entity has no value. For `present` and `notempty`, white space alone counts as no value.
 * - `unreadable`: the entity's value is not of the constraint's type (number, boolean or date-time).
 * - `differs`: the entity's value was compared, and does not match.
 * - `unknown-operator`: the constraint's type does not have this operator.
 * - `unreadable-constraint`: the constraint's own value cannot be parsed.
 */
export type ConstraintMismatch =
  | 'missing'
  | 'unreadable'
  | 'differs'
  | 'unknown-operator'
  | 'unreadable-constraint';

/** How a rule divides its entities among variants. */
export interface ExplainedSharing {
  /** The bucket of the entity, from 0 to 999. */
  readonly bucket: number;
  /** The shares of the variants, in the order of the rule's distributions. */
  readonly shares: readonly ExplainedShare[];
  /**
   * The position of the chosen share in `shares`, counted from 0. The member is absent if the bucket lies past the last
   * share, so that no share is chosen. Only versions of Flipt before 2.9 leave buckets without a share.
   */
  readonly chosen?: number;
}

/** The share of one variant in a rule. */
export interface ExplainedShare {
  /**
   * The variant's key. The member is absent if the flag does not have the variant. In that case, the entities in this
   * share get the flag's default variant, if there is one.
   */
  readonly variant?: string;
  /** The percentage that is configured for this variant. */
  readonly rollout: number;
  /** The upper bound of the share: the share takes all buckets below this number that no earlier share takes. */
  readonly below: number;
}
