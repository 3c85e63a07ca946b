/** Why a flag has its value for an entity and its attributes, in plain JSON values. */
export interface Explanation {
  /** The namespace's key. */
  readonly namespace: string;
  /** The flag's key. */
  readonly flag: string;
  /** The entity's id, which is the context's targeting key, or `''` if there is none. */
  readonly entity: string;
  /** The answer that evaluation gives. */
  readonly answer: ExplainedAnswer;
  /** What decided the answer. */
  readonly decidedBy: ExplainedDecision;
  /** The flag's rules or rollouts in their order, including those after the one that decided. */
  readonly steps: readonly ExplainedStep[];
}

/**
 * What the service answers: that there is no such flag, a boolean flag's value, or a variant flag's variant. If this
 * version of the package cannot evaluate the flag, only the service knows the answer.
 */
export type ExplainedAnswer =
  | {
      /** There is no such flag. */
      readonly kind: 'missing';
    }
  | {
      /** The flag exists, but this version of the package cannot evaluate it. The service can. */
      readonly kind: 'unreadable';
      /** The place in the flag that cannot be read, what was expected there, and what was found. */
      readonly reason: string;
    }
  | {
      /** A boolean flag's answer. */
      readonly kind: 'boolean';
      /** The flag's value. */
      readonly enabled: boolean;
      /** Flipt's reason: `MATCH`, or `DEFAULT` if no rollout applied. */
      readonly reason: string;
      /** The keys of the segments that matched. The list is empty if a threshold decided. */
      readonly segmentKeys: readonly string[];
    }
  | {
      /** A variant flag's answer. */
      readonly kind: 'variant';
      /** Whether a rule decided the answer. */
      readonly match: boolean;
      /** The variant's key, or `''` if there is none. */
      readonly variant: string;
      /** The variant's attachment as JSON text, or `''` or `null` if the variant has no attachment. */
      readonly attachment: string;
      /** Flipt's reason: `MATCH`, `DEFAULT`, `FLAG_DISABLED`, or `UNKNOWN` if no variant applies. */
      readonly reason: string;
      /** The keys of the segments that matched. */
      readonly segmentKeys: readonly string[];
    };

/** What decides an answer. */
export type ExplainedDecision =
  | {
      /**
       * - `missing`: there is no such flag.
       * - `unreadable`: this version of the package cannot evaluate the flag, so that only the service knows.
       * - `disabled`: the variant flag is not enabled.
       * - `none`: no step applied.
       */
      readonly by: 'missing' | 'unreadable' | 'disabled' | 'none';
    }
  | {
      /** A rule or a rollout decided. */
      readonly by: 'step';
      /** Which step decided, counted from 1. */
      readonly number: number;
    };

/** A rule or rollout, and whether it decided. */
export type ExplainedStep = (ExplainedRule | ExplainedRollout | ExplainedThreshold) & {
  /** Whether the step decided, did not apply, or was not reached. */
  readonly outcome: StepOutcome;
};

/**
 * What the evaluation of a step led to. `not-reached` means that an earlier step decided. A step that was not reached
 * still says what it would have compared.
 */
export type StepOutcome = 'applied' | 'did-not-apply' | 'not-reached';

/** A rule of a variant flag. */
export interface ExplainedRule {
  /** The kind of this step. */
  readonly kind: 'rule';
  /**
   * Whether an entity must be in one of the segments, or in all segments of the step. The value is a number if Flipt's
   * operator has no name here.
   */
  readonly operator: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | number;
  /** The segments of the step. For each segment, the explanation says what was compared. */
  readonly segments: readonly ExplainedSegment[];
  /**
   * How the rule shares out its variants; the member is absent if the segments do not match, or if the rule has no
   * distributions.
   */
  readonly sharing?: ExplainedSharing;
}

/** A boolean flag's rollout to segments. */
export interface ExplainedRollout {
  /** The kind of this step. */
  readonly kind: 'rollout';
  /** The value that the flag has if this step decides. */
  readonly value: boolean;
  /**
   * Whether an entity must be in one of the segments, or in all segments of the step. The value is a number if Flipt's
   * operator has no name here.
   */
  readonly operator: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | number;
  /** The segments of the step. For each segment, the explanation says what was compared. */
  readonly segments: readonly ExplainedSegment[];
}

/** A boolean flag's rollout to a part of all entities. */
export interface ExplainedThreshold {
  /** The kind of this step. */
  readonly kind: 'threshold';
  /** The value that the flag has if this step decides. */
  readonly value: boolean;
  /** The step applies to entities whose percent is below this number. */
  readonly percentage: number;
  /**
   * The percent of the entity itself, from 0 to 99. The percent is computed from the key of the flag and the id of the
   * entity.
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
   * Whether an entity must meet all constraints of the segment, or only one of them. The value is a number if Flipt's
   * match type has no name here; the member is absent if there is no segment with this key.
   */
  readonly matchType?: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE' | number;
  /** The constraints of the segment. For each constraint, the explanation says what was compared. */
  readonly constraints: readonly ExplainedConstraint[];
}

/** A constraint, and the value that it was compared with. */
export interface ExplainedConstraint {
  /** The type as which the constraint's value and the entity's value are compared. */
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
  /** The entity's value that was compared; the member is absent if the entity has no such attribute. */
  readonly seen?: string;
  /**
   * If the entity lacks the attribute, the name of another attribute of the entity that is spelt almost like it; the
   * member is absent if there is no such name.
   */
  readonly like?: string;
  /** Whether the constraint matched. */
  readonly matched: boolean;
  /** Why the constraint did not match; the member is absent if the constraint matched. */
  readonly why?: ConstraintMismatch;
}

/**
 * Why a constraint did not match:
 *
 * - `missing`: the entity has no value. For `present` and `notempty`, white space alone counts as no value.
 * - `unreadable`: the entity's value is not a number, boolean or date-time.
 * - `differs`: the entity's value was compared, and does not match.
 * - `unknown-operator`: the type has no such operator.
 * - `unreadable-constraint`: the constraint's own value cannot be parsed.
 */
export type ConstraintMismatch =
  | 'missing'
  | 'unreadable'
  | 'differs'
  | 'unknown-operator'
  | 'unreadable-constraint';

/** How a rule shares out its variants. */
export interface ExplainedSharing {
  /** The bucket of the entity, from 0 to 999. */
  readonly bucket: number;
  /** The shares of the variants in their order. */
  readonly shares: readonly ExplainedShare[];
  /**
   * The position in `shares` of the chosen share, from 0. The member is absent if the bucket lies past the last share,
   * so that no share is chosen. Only Flipt before 2.9 leaves such buckets.
   */
  readonly chosen?: number;
}

/** The share of one variant in a rule. */
export interface ExplainedShare {
  /** The variant's key. The member is absent if the flag has no such variant, so that the default variant is used. */
  readonly variant?: string;
  /** The percentage that is configured for this variant. */
  readonly rollout: number;
  /** The share takes all buckets below this number that no earlier share takes. */
  readonly below: number;
}
