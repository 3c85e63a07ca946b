import type { ValueAnswer } from '../model/answer.js';
import { boundsOf, isUndivided, underThreshold } from './buckets.js';
import type { Features, Flag, SegmentChoice, Semantics } from './features.js';
import { neededSegments, rulesInForce, sharesIn } from './parts-in-force.js';

type Segments = Pick<Features, 'segments'>;

/**
 * Whether the entity's bucket decided this answer of the flag: evaluation reached a percentage, or a rule that divides
 * its entities among variants or gives its variant to only some of them. The answer names the segments of the rule.
 */
export function bucketDecided(flag: Flag, answer: ValueAnswer, features: Segments, semantics: Semantics) {
  const matching = new Set(answer.segmentKeys);
  // The first rule that applies with the answer's segments has given it: no rule behind it was reached.
  const isReached = ({ segmentKeys: chosen, segmentOperator }: SegmentChoice) => {
    // The answer has the segments' own keys.
    const { length } = chosen.filter((name) => matching.has(features.segments.get(name)?.key ?? name));
    const least = { one: 1, all: chosen.length, none: 0 };
    return length >= least[neededSegments(segmentOperator)];
  };
  if (flag.type === 'VARIANT_FLAG_TYPE') {
    const shares = sharesIn(rulesInForce(flag).find(isReached)?.distributions ?? []);
    return !isUndivided(boundsOf(shares, semantics));
  }
  // A threshold of 0 includes nobody, and any other ends the evaluation or has let the bucket go on.
  const reached = flag.rollouts.find((rollout) =>
    rollout.kind === 'segment' ? isReached(rollout) : underThreshold(rollout.percentage) !== 'nobody',
  );
  return reached?.kind === 'threshold' && underThreshold(reached.percentage) === 'some';
}
