import type { ValueAnswer } from '../model/answer.js';
import type { Features, Flag, SegmentChoice } from './features.js';

/**
 * Whether the entity's bucket decided this answer of the flag: evaluation reached a percentage, or a rule that divides
 * its entities among variants or gives its variant to only some of them. The answer names the segments of the rule.
 */
export function bucketDecided(
  flag: Flag,
  { segmentKeys = [] }: ValueAnswer,
  { segments }: Pick<Features, 'segments'>,
): boolean {
  const matching = new Set(segmentKeys);
  // The first rule that applies with the answer's segments has given it: no rule behind it was reached.
  const isReached = ({ segmentKeys: chosen, segmentOperator }: SegmentChoice) => {
    // The answer has the segments' own keys.
    const { length } = chosen.filter((name) => matching.has(segments.get(name)?.key ?? name));
    if (segmentOperator === 'OR_SEGMENT_OPERATOR') return length > 0;
    return length === chosen.length || segmentOperator !== 'AND_SEGMENT_OPERATOR';
  };
  if (flag.type === 'VARIANT_FLAG_TYPE') {
    if (!flag.enabled) return false;
    const shares = flag.rules.find(isReached)?.distributions.filter(({ rollout }) => rollout > 0) ?? [];
    return shares.length > 1 || shares.some(({ rollout }) => rollout < 100);
  }
  // A threshold of 0 includes nobody, and any other ends the evaluation or has let the bucket go on.
  const reached = flag.rollouts.find((rollout) =>
    rollout.kind === 'segment' ? isReached(rollout) : rollout.percentage > 0,
  );
  return reached?.kind === 'threshold' && reached.percentage < 100;
}
