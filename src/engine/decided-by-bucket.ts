import type { ValueAnswer } from '../model/answer.js';
import type { Flag, SegmentChoice } from './features.js';

/**
 * Whether the entity's bucket decided this answer of the flag: evaluation reached a percentage, or a rule that divides
 * its entities among variants or gives its variant to only some of them. The answer names the segments of the rule.
 */
export function bucketDecided(flag: Flag, { segmentKeys = [] }: ValueAnswer): boolean {
  // The first rule with the answer's segments has given it: they match, so no later rule was reached.
  const isReached = ({ segmentKeys: chosen, segmentOperator }: SegmentChoice) =>
    segmentKeys.length > 0 &&
    segmentKeys.every((key) => chosen.includes(key)) &&
    (segmentOperator !== 'AND_SEGMENT_OPERATOR' || segmentKeys.length === chosen.length);
  if (flag.type === 'VARIANT_FLAG_TYPE') {
    const shares = flag.rules.find(isReached)?.distributions.filter(({ rollout }) => rollout > 0) ?? [];
    return shares.length > 1 || shares.some(({ rollout }) => rollout < 100);
  }
  // A threshold of 0 includes nobody, and any other ends the evaluation or has let the bucket go on.
  const reached = flag.rollouts.find((rollout) =>
    rollout.kind === 'segment' ? isReached(rollout) : rollout.percentage > 0,
  );
  return reached?.kind === 'threshold' && reached.percentage < 100;
}
