import { booleanAnswer } from '../boolean-flag.js';
import { percentOf, thresholdBound } from '../buckets.js';
import type { BooleanFlag, Features, Rollout } from '../features.js';
import { explainChoice, type EvaluatedEntity } from './explain-segments.js';
import { firstToApply, type StepResult } from './explain-steps.js';
import type { FlagExplanation } from './explanation.js';

export function explainBooleanFlag(
  flag: BooleanFlag,
  features: Features,
  asked: EvaluatedEntity,
): FlagExplanation {
  const results = flag.rollouts.map((rollout) => explainRollout(rollout, flag.key, features, asked));
  return firstToApply(results, booleanAnswer(flag.enabled, 'DEFAULT', []));
}

function explainRollout(
  rollout: Rollout,
  flagKey: string,
  features: Features,
  asked: EvaluatedEntity,
): StepResult {
  const { value } = rollout;
  if (rollout.kind === 'threshold') {
    const { percentage } = rollout;
    const percent = percentOf(flagKey, asked.entity);
    const isUnder = percent < thresholdBound(percentage);
    return {
      step: { kind: 'threshold', value, percentage, percent },
      answer: isUnder ? booleanAnswer(value, 'MATCH', []) : undefined,
    };
  }
  const { segments, matching } = explainChoice(rollout, features, asked);
  return {
    step: { kind: 'rollout', value, operator: rollout.segmentOperator, segments },
    answer: matching && booleanAnswer(value, 'MATCH', matching),
  };
}
