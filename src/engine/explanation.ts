/** Why a flag has its value for an entity, as plain JSON values. */
export interface Explanation {
  readonly namespace: string;
  readonly flag: string;
  /** The targeting key of the context, or `''`. */
  readonly entity: string;
  readonly answer: ExplainedAnswer;
  readonly decidedBy: ExplainedDecision;
  /**
   * All rules or rollouts in the order of evaluation, also those after the one that decided. Empty if the flag is
   * missing or unreadable.
   */
  readonly steps: readonly ExplainedStep[];
}

/** Flipt's answer. That of an `unreadable` flag only Flipt can give. */
export type ExplainedAnswer =
  | {
      readonly kind: 'missing';
    }
  | {
      /** This version of the package cannot evaluate the flag. */
      readonly kind: 'unreadable';
      /** The place in the flag, what was expected there, and what was found. */
      readonly reason: string;
    }
  | {
      readonly kind: 'boolean';
      readonly enabled: boolean;
      /** `MATCH`, or `DEFAULT` if no rollout applied. */
      readonly reason: string;
      /** Those of the deciding rollout that matched. Empty if a threshold decided, or if no rollout applied. */
      readonly segmentKeys: readonly string[];
    }
  | {
      readonly kind: 'variant';
      /** The segments of a rule matched, and its distributions did not leave the entity out. */
      readonly match: boolean;
      /** `''` without a variant. */
      readonly variant: string;
      /** JSON text. Without an attachment `''` or, with Flipt v2, `null`; `''` without a variant. */
      readonly attachment: string;
      /** `MATCH`, `DEFAULT` or `FLAG_DISABLED`; `UNKNOWN` if nothing matches and there is no default variant. */
      readonly reason: string;
      /** Those of the deciding rule that matched. Empty if no rule applied. */
      readonly segmentKeys: readonly string[];
    };

export type ExplainedDecision =
  | {
      /**
       * `disabled`: a variant flag that is not enabled. `none`: no rule or rollout applied. `unreadable`: this
       * version of the package cannot evaluate the flag.
       */
      readonly by: 'missing' | 'unreadable' | 'disabled' | 'none';
    }
  | {
      readonly by: 'step';
      /** Of the rule or rollout, counted from 1. */
      readonly number: number;
    };

export type ExplainedStep = (ExplainedRule | ExplainedRollout | ExplainedThreshold) & {
  readonly outcome: StepOutcome;
};

/**
 * `not-reached`: an earlier step decided, or the flag is a disabled variant flag. Its comparisons are shown all the
 * same.
 */
export type StepOutcome = 'applied' | 'did-not-apply' | 'not-reached';

export interface ExplainedRule {
  readonly kind: 'rule';
  /** At least one of the segments, or all of them. A number is an operator of a newer Flipt. */
  readonly operator: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | number;
  readonly segments: readonly ExplainedSegment[];
  /** Segments that Flipt 2.11 leaves out, because it cannot read one of their constraints. Known of a features file only. */
  readonly leftOut?: readonly string[];
  /** Absent if the segments do not match, or if no distribution has a percentage above 0. */
  readonly sharing?: ExplainedSharing;
}

/** A boolean flag's rollout to segments. */
export interface ExplainedRollout {
  readonly kind: 'rollout';
  /** The flag's value if this rollout decides. */
  readonly value: boolean;
  /** At least one of the segments, or all of them. A number is an operator of a newer Flipt. */
  readonly operator: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | number;
  readonly segments: readonly ExplainedSegment[];
  /** Segments that Flipt 2.11 leaves out, because it cannot read one of their constraints. Known of a features file only. */
  readonly leftOut?: readonly string[];
}

/** A boolean flag's rollout to a percentage of all entities. */
export interface ExplainedThreshold {
  readonly kind: 'threshold';
  /** The flag's value if this rollout decides. */
  readonly value: boolean;
  /** The rollout applies if `percent` is below it. */
  readonly percentage: number;
  /** The entity's number from 0 to 99, computed from the flag's key and the entity's id. */
  readonly percent: number;
}

export interface ExplainedSegment {
  readonly key: string;
  readonly matched: boolean;
  /**
   * All constraints, or at least one. A number is a match type of a newer Flipt. Absent if there is no such segment.
   */
  readonly matchType?: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE' | number;
  readonly constraints: readonly ExplainedConstraint[];
}

export interface ExplainedConstraint {
  /** As what both values are parsed before they are compared. */
  readonly type:
    | 'STRING_COMPARISON_TYPE'
    | 'NUMBER_COMPARISON_TYPE'
    | 'BOOLEAN_COMPARISON_TYPE'
    | 'DATETIME_COMPARISON_TYPE'
    | 'ENTITY_ID_COMPARISON_TYPE';
  /** The attribute that is compared; without a meaning for a constraint on the entity id. */
  readonly property: string;
  /** Flipt's word, such as `eq`, `prefix` or `gte`. */
  readonly operator: string;
  /** The constraint's own. */
  readonly value: string;
  /** The entity's value; absent if it does not have the attribute. */
  readonly seen?: string;
  /** For a missing attribute: another one of the entity that is spelt almost like it. */
  readonly like?: string;
  readonly matched: boolean;
  /** Absent if the constraint matched. */
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

export interface ExplainedSharing {
  /** Of the entity, from 0 to 999. */
  readonly bucket: number;
  /** In the order of the rule's distributions. */
  readonly shares: readonly ExplainedShare[];
  /** The position in `shares`, counted from 0. Absent if the bucket lies past the last share, as before Flipt 2.9. */
  readonly chosen?: number;
}

export interface ExplainedShare {
  /** Absent if the flag has no such variant: the entities in this share get the default variant. */
  readonly variant?: string;
  /** The configured percentage. */
  readonly rollout: number;
  /** The share takes the buckets below this number that no earlier share takes. */
  readonly below: number;
}
