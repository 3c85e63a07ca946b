import type { BooleanFlag, Flag, SegmentChoice, VariantFlag } from './features.js';
import { compiledEach, firstMatch, type Evaluate } from './first-match.js';
import { compileChoice, type FindSegment } from './segment-match.js';
import type { Steps } from './stepwise.js';

/**
 * Prepares the test whether an entity's bucket decides its answer. It does if evaluation reaches a percentage, or a
 * rule that divides its entities among variants or gives its variant to only some of them.
 */
export function* compileBucketDecides(flag: Flag, find: FindSegment): Steps<Evaluate<boolean>> {
  const steps = flag.type === 'BOOLEAN_FLAG_TYPE' ? rolloutsOf(flag) : rulesOf(flag);
  if (!steps.some(({ isShared }) => isShared)) return () => false;
  return firstMatch(yield* compiledEach(steps, (step) => compileStep(step, find)), false);
}

function* compileStep({ choice, isShared }: Step, find: FindSegment): Steps<Evaluate<boolean | undefined>> {
  if (choice === undefined) return () => isShared;
  const { matching } = yield* compileChoice(choice, find);
  return (entity, read) => (matching(entity, read) === undefined ? undefined : isShared);
}

interface Step {
  /** `undefined`: every entity is chosen. */
  readonly choice: SegmentChoice | undefined;
  readonly isShared: boolean;
}

function rolloutsOf({ rollouts }: BooleanFlag): readonly Step[] {
  // A threshold of 0 includes nobody.
  const effective = rollouts.filter((rollout) => rollout.kind === 'segment' || rollout.percentage > 0);
  return effective.map((rollout) =>
    rollout.kind === 'segment'
      ? { choice: rollout, isShared: false }
      : { choice: undefined, isShared: rollout.percentage < 100 },
  );
}

function rulesOf({ enabled, rules }: VariantFlag): readonly Step[] {
  if (!enabled) return [];
  return rules.map((rule) => {
    const shares = rule.distributions.filter(({ rollout }) => rollout > 0);
    return { choice: rule, isShared: shares.length > 1 || shares.some(({ rollout }) => rollout < 100) };
  });
}
