import type { BooleanAnswer, ServiceReason } from '../model/answer.js';
import { threshold } from './buckets.js';
import type { BooleanFlag, Rollout } from './features.js';
import { firstMatch, preparedFor, type Evaluate } from './first-match.js';
import { compileChoice, type FindSegment } from './segment-match.js';
import { stepsOfEach, type Steps } from '../time/pausable-steps.js';

type EvaluateRollout = Evaluate<BooleanAnswer | undefined>;

/** Prepares a boolean flag. Its rollouts also apply while it is not enabled. */
export function* compileBooleanFlag(flag: BooleanFlag, find: FindSegment): Steps<Evaluate<BooleanAnswer>> {
  const { key, enabled, rollouts } = flag;
  const compiled = yield* stepsOfEach(rollouts, (rollout) => compileRollout(rollout, key, find));
  return firstMatch(compiled, booleanAnswer(enabled, 'DEFAULT', []));
}

function* compileRollout(rollout: Rollout, flagKey: string, find: FindSegment): Steps<EvaluateRollout> {
  if (rollout.kind === 'threshold') {
    const isUnder = threshold(flagKey, rollout.percentage);
    const split = booleanAnswer(rollout.value, 'MATCH', []);
    return ({ id }) => (isUnder(id) ? split : undefined);
  }
  const { segmentKeys, matching } = yield* compileChoice(rollout, find);
  const answer = preparedFor(segmentKeys, (keys) => booleanAnswer(rollout.value, 'MATCH', keys));
  return (entity) => {
    const matched = matching(entity);
    return matched && answer(matched);
  };
}

function booleanAnswer(
  enabled: boolean,
  reason: ServiceReason,
  segmentKeys: readonly string[],
): BooleanAnswer {
  return { kind: 'boolean', enabled, reason, segmentKeys, requestId: '' };
}
