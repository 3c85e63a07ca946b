import type { BooleanAnswer, ServiceReason } from '../model/answer.js';
import type { Question } from '../model/question.js';
import { underThreshold } from './buckets.js';
import type { BooleanFlag, Features, Rollout } from './features.js';
import { matchingSegments } from './segment-match.js';

/** The service's answer about a boolean flag. Rollouts apply also where the flag is not enabled. */
export function evaluateBoolean(flag: BooleanFlag, features: Features, question: Question): BooleanAnswer {
  for (const rollout of flag.rollouts) {
    const matching = applies(rollout, flag, features, question);
    if (matching) return answer(rollout.value, 'MATCH', matching);
  }
  return answer(flag.enabled, 'DEFAULT', []);
}

/** The segments by which a rollout applies: none for a threshold; undefined where it does not apply. */
function applies(
  rollout: Rollout,
  flag: BooleanFlag,
  features: Features,
  question: Question,
): readonly string[] | undefined {
  if (rollout.kind === 'segment') return matchingSegments(rollout, features, question);
  return underThreshold(rollout.percentage, flag.key, question.entity) ? [] : undefined;
}

function answer(enabled: boolean, reason: ServiceReason, segmentKeys: readonly string[]): BooleanAnswer {
  return { kind: 'boolean', enabled, reason, segmentKeys, requestId: '' };
}
