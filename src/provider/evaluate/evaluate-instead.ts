import type { Failure } from '../../model/failure.js';
import { failedResolution, type Question, type Resolution } from '../../model/answer.js';
import type { SnapshotSource } from '../../snapshot/snapshot-source.js';
import { unreadableFailure } from './ask-unreadable.js';

/** The snapshot's answer to a question that the service does not answer, for this reason; `undefined` without one. */
export function evaluateInstead(
  snapshots: SnapshotSource,
  question: Question,
  failure: Failure,
  now: number,
): Resolution | undefined {
  const snapshot = snapshots.watch.snapshot();
  const unreadable = snapshot?.unreadable(question.flag);
  if (unreadable !== undefined) {
    const asked = unreadableFailure(question.flag, unreadable, failure.message);
    return { ...failedResolution(asked), ageMs: Infinity };
  }
  const answer = snapshots.evaluate(question);
  if (answer === undefined || snapshot === undefined) return undefined;
  const ageMs = snapshots.watch.ageMs(now);
  return { answer, source: 'in-process', ageMs, stale: true, version: snapshot.version };
}
