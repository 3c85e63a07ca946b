/** Why a flag has its value for an entity and its attributes, in plain JSON values. */
export interface Explanation {
  /** The namespace's key. */
  readonly namespace: string;
  /** The flag's key. */
  readonly flag: string;
  /** The entity's id, which is the context's targeting key; `''` if there is none. */
  readonly entity: string;
  /** What evaluation gives. */
  readonly answer: ExplainedAnswer;
  /** What decided the answer. */
  readonly decidedBy: ExplainedDecision;
  /** The flag's rules or rollouts in their order, including those after the deciding one. */
  readonly steps: readonly ExplainedStep[];
}

/** An answer of the service: no such flag, a boolean flag's value, or a variant flag's variant. */
export type ExplainedAnswer =
  | {
      /** There is no such flag. */
      readonly kind: 'missing';
    }
  | {
      /** There is such a flag, but this version of the package cannot evaluate it. The service can. */
      readonly kind: 'unreadable';
      /** The place in the flag, what was expected there, and what was found. */
      readonly reason: string;
    }
  | {
      /** A boolean flag's answer. */
      readonly kind: 'boolean';
      /** The flag's value. */
      readonly enabled: boolean;
      /** The service's word: `MATCH` or `DEFAULT`. */
      readonly reason: string;
      /** Keys of the segments that matched; none for a rollout to a percentage. */
      readonly segmentKeys: readonly string[];
    }
  | {
      /** A variant flag's answer. */
      readonly kind: 'variant';
      /** Whether a rule decided. */
      readonly match: boolean;
      /** The variant's key, `''` if there is none. */
      readonly variant: string;
      /** JSON text; `''` or `null` if the variant has none. */
      readonly attachment: string;
      /** The service's word: `MATCH`, `DEFAULT`, `FLAG_DISABLED`, or `UNKNOWN` if no variant applies. */
      readonly reason: string;
      /** Keys of the segments that matched. */
      readonly segmentKeys: readonly string[];
    };

/** What decides an answer. */
export type ExplainedDecision =
  | {
      /**
       * `missing`: there is no such flag · `unreadable`: only the service knows · `disabled`: the variant flag is not
       * enabled · `none`: no step applied.
       */
      readonly by: 'missing' | 'unreadable' | 'disabled' | 'none';
    }
  | {
      /** A rule or rollout. */
      readonly by: 'step';
      /** Which one, from 1. */
      readonly number: number;
    };

/** A rule or rollout, and whether it decided. */
export type ExplainedStep = (ExplainedRule | ExplainedRollout | ExplainedThreshold) & {
  /** Whether it decided. */
  readonly outcome: StepOutcome;
};

/** `not-reached`: an earlier step decided. The step still says what it would have compared. */
export type StepOutcome = 'applied' | 'did-not-apply' | 'not-reached';

/** A rule of a variant flag. */
export interface ExplainedRule {
  /** The kind of this step. */
  readonly kind: 'rule';
  /** Whether one matching segment is enough, or all must match; a number if the operator has no name. */
  readonly operator: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | number;
  /** Its segments, each compared. */
  readonly segments: readonly ExplainedSegment[];
  /** Absent if the segments do not match, or if the rule has no distributions. */
  readonly sharing?: ExplainedSharing;
}

/** A boolean flag's rollout to segments. */
export interface ExplainedRollout {
  /** The kind of this step. */
  readonly kind: 'rollout';
  /** The flag's value if it applies. */
  readonly value: boolean;
  /** Whether one matching segment is enough, or all must match; a number if the operator has no name. */
  readonly operator: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' | number;
  /** Its segments, each compared. */
  readonly segments: readonly ExplainedSegment[];
}

/** A boolean flag's rollout to a part of all entities. */
export interface ExplainedThreshold {
  /** The kind of this step. */
  readonly kind: 'threshold';
  /** The flag's value if it applies. */
  readonly value: boolean;
  /** It applies to entities whose percent is below this. */
  readonly percentage: number;
  /** The percent of the entity itself, 0 to 99. */
  readonly percent: number;
}

/** A segment of a rule or rollout. */
export interface ExplainedSegment {
  /** The segment's key. */
  readonly key: string;
  /** Whether the entity is in it. */
  readonly matched: boolean;
  /**
   * Whether all constraints must match, or one; a number if the match type has no name. Absent if there is no segment
   * with this key.
   */
  readonly matchType?: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE' | number;
  /** Its constraints, each compared. */
  readonly constraints: readonly ExplainedConstraint[];
}

/** A constraint, and what it saw. */
export interface ExplainedConstraint {
  /** What both sides are compared as. */
  readonly type:
    | 'STRING_COMPARISON_TYPE'
    | 'NUMBER_COMPARISON_TYPE'
    | 'BOOLEAN_COMPARISON_TYPE'
    | 'DATETIME_COMPARISON_TYPE'
    | 'ENTITY_ID_COMPARISON_TYPE';
  /** The attribute that is compared; ignored for an entity id. */
  readonly property: string;
  /** Flipt's word: `eq`, `prefix`, `gte`, … */
  readonly operator: string;
  /** The constraint's own value. */
  readonly value: string;
  /** The value that was compared; absent if the entity has no such attribute. */
  readonly seen?: string;
  /** Without such an attribute: another one of the entity that is almost spelt so; absent if there is none. */
  readonly like?: string;
  /** Whether the constraint matched. */
  readonly matched: boolean;
  /** Why it did not match; absent if it did. */
  readonly why?: ConstraintMismatch;
}

/**
 * - `missing`: there is no value; white space alone counts as none for `present` and `notempty`
 * - `unreadable`: the value is no number, boolean or date-time
 * - `differs`: the value was compared, and does not match
 * - `unknown-operator`: the type has no such operator
 * - `unreadable-constraint`: the constraint's own value does not parse
 */
export type ConstraintMismatch =
  | 'missing'
  | 'unreadable'
  | 'differs'
  | 'unknown-operator'
  | 'unreadable-constraint';

/** How a rule shares out its variants. */
export interface ExplainedSharing {
  /** The bucket of the entity, 0 to 999. */
  readonly bucket: number;
  /** The variants' shares in their order. */
  readonly shares: readonly ExplainedShare[];
  /** Position in `shares`, from 0; absent if the bucket is past the last share, which is possible only in v1. */
  readonly chosen?: number;
}

/** A variant's share of a rule. */
export interface ExplainedShare {
  /** The variant's key; absent if the flag has no such variant: then the default variant is used. */
  readonly variant?: string;
  /** Percent, as configured. */
  readonly rollout: number;
  /** The share has the buckets below this bound that no earlier share has. */
  readonly below: number;
}
