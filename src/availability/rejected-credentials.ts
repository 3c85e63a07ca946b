import { isFailure, type AskAtOnce, type BatchOutcome } from '../model/answer.js';
import { rejectsCredentials, type Failure } from '../model/failure.js';
import type { Clock } from '../time/clock.js';
import type { HealthState } from './health-state.js';

/** For so long after a check has passed, the credentials count as accepted. */
const ACCEPTED_FOR_MS = 1_000;

/**
 * After a 401 or 403, a check finds out what was rejected. If the check is rejected, too, the credentials are. Otherwise
 * it was this request alone, which then fails as `refused-request`. `credentialsVersion` changes when other credentials
 * are sent.
 */
export function judgingRejections(
  { read, check }: HealthState,
  credentialsVersion: () => number,
  clock: Clock,
): (askAtOnce: AskAtOnce) => AskAtOnce {
  let acceptedAt = -Infinity;

  const areCredentialsAccepted = async (signal?: AbortSignal) => {
    if (read().rejected !== undefined) return false;
    if (clock.now() - acceptedAt < ACCEPTED_FOR_MS) return true;
    const isAccepted = (await check(signal)) === undefined;
    if (isAccepted) acceptedAt = clock.now();
    return isAccepted;
  };

  return (askAtOnce) => async (questions, signal) => {
    const sentWith = credentialsVersion();
    const first = await askAtOnce(questions, signal);
    if (!isRejection(first) || !(await areCredentialsAccepted(signal))) return first;
    // A single 401, for example from one instance of many, changes no state: try again. After a 403, trying again helps
    // only if the check has refreshed the credentials.
    const isWorthIt = first.kind === 'unauthorized' || credentialsVersion() !== sentWith;
    const second = isWorthIt ? await askAtOnce(questions, signal) : first;
    return isRejection(second) ? { ...second, kind: 'refused-request' } : second;
  };
}

export function isRejection(outcome: BatchOutcome): outcome is Failure {
  return isFailure(outcome) && rejectsCredentials(outcome);
}
