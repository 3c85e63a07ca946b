import type { KnownAnswer } from '../../model/answer.js';
import type { Constraint, MatchType, SegmentOperator } from '../features.js';

/** Why a question has its answer. All of it is plain JSON. */
export interface Explanation extends FlagExplanation {
  readonly namespace: string;
  readonly flag: string;
  readonly entity: string;
}

export interface FlagExplanation {
  /** What evaluation gives. */
  readonly answer: KnownAnswer;
  readonly decidedBy: Decision;
  /** The flag's rules or rollouts in their order, also those after the one that decided. */
  readonly steps: readonly Step[];
}

/** - `missing`: there is no such flag · `disabled`: the variant flag is not enabled · `none`: no step applied */
export type Decision =
  | { readonly by: 'missing' | 'disabled' | 'none' }
  /** `number` counts from 1. */
  | { readonly by: 'step'; readonly number: number };

export type Step = StepDetails & { readonly outcome: Outcome };

/** `not-reached`: the answer was decided before. The rest of the step says what it would have compared. */
export type Outcome = 'applied' | 'did-not-apply' | 'not-reached';

export type StepDetails = RuleStep | RolloutStep | ThresholdStep;

/** A rule of a variant flag. */
export interface RuleStep {
  readonly kind: 'rule';
  readonly operator: SegmentOperator;
  readonly segments: readonly SegmentMatch[];
  /** Absent where the segments do not match, and where the rule shares out no variant. */
  readonly sharing?: Sharing;
}

/** A boolean flag's rollout to segments. */
export interface RolloutStep {
  readonly kind: 'rollout';
  readonly value: boolean;
  readonly operator: SegmentOperator;
  readonly segments: readonly SegmentMatch[];
}

/** A boolean flag's rollout to a part of all entities. */
export interface ThresholdStep {
  readonly kind: 'threshold';
  readonly value: boolean;
  /** It applies to entities whose percent is below this. */
  readonly percentage: number;
  /** The entity's own, 0 to 99. */
  readonly percent: number;
}

export interface SegmentMatch {
  readonly key: string;
  readonly matched: boolean;
  /** Absent where there is no segment of this key. */
  readonly matchType?: MatchType;
  readonly constraints: readonly ConstraintMatch[];
}

export interface ConstraintMatch extends Constraint {
  /** The value compared; absent where there is no such attribute. */
  readonly seen?: string;
  readonly matched: boolean;
  /** Absent where it matched. */
  readonly why?: Mismatch;
}

/**
 * - `missing`: there is no value; white space alone is none for `present` and `notempty`
 * - `unreadable`: the value is no number, boolean or date-time
 * - `differs`: the value was compared, and does not match
 * - `unknown-operator`: the type has no such operator
 * - `unreadable-constraint`: the constraint's own value does not parse
 */
export type Mismatch = 'missing' | 'unreadable' | 'differs' | 'unknown-operator' | 'unreadable-constraint';

/** How a rule shares out its variants. */
export interface Sharing {
  /** The entity's own, 0 to 999. */
  readonly bucket: number;
  readonly shares: readonly ExplainedShare[];
  /** Position in `shares`, from 0; absent past the last share, which only v1 leaves open. */
  readonly chosen?: number;
}

export interface ExplainedShare {
  /** The variant's key; absent where the flag has no such variant: the default variant stands in. */
  readonly variant?: string;
  /** Percent, as configured. */
  readonly rollout: number;
  /** Its buckets are those below this bound that no earlier share has. */
  readonly below: number;
}
