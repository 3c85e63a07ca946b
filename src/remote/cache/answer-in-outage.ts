import { failedResolution, type Resolution } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';

type Find = () => Resolution | undefined;

/**
 * Returns what a caller gets if the service does not answer. It is the answer of the snapshot or the last known answer,
 * whichever is younger, if this failure allows either.
 */
export function answerInOutage(failure: Failure, evaluated: Find, lastKnown: Find): Resolution {
  if (!policyOf(failure).lastKnownAnswer) return failedResolution(failure);
  const given = evaluated();
  const last = lastKnown();
  if (last !== undefined && last.ageMs < (given?.ageMs ?? Infinity)) return { ...last, stale: true };
  return given ?? failedResolution(failure);
}
