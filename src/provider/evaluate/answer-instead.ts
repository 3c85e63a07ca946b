import { failedResolution, type Question, type Resolution, type UnreadableFlag } from '../../model/answer.js';
import type { SnapshotSource } from '../../snapshot/snapshot-source.js';
import type { Resolve } from '../resolve-remotely.js';
import type { Failure } from '../../model/failure.js';
import { quoted } from '../../base/text/describe.js';

/** The failure of a flag that the snapshot holds and that Flipt does not answer. `why`: what is wrong or to be done. */
function unreadableFailure(flag: string, { reason }: UnreadableFlag, why: string): Failure {
  return {
    kind: 'unreadable-flag',
    message: `this version of the package cannot read the flag ${quoted(flag)} (${reason}); ${why}`,
  };
}

/** Asks for a flag that cannot be evaluated here. `ask` is `undefined`: nothing may be sent. Never throws or rejects. */
export function askUnreadable(
  ask: Resolve | undefined,
  unreadable: UnreadableFlag,
  ...question: Parameters<Resolve>
): Resolution | Promise<Resolution> {
  const [flag] = question;
  if (ask === undefined) return failedResolution(unreadableFailure(flag, unreadable, OFFLINE));
  /** All of the context is sent, also what no other flag reads. If it cannot be sent, that concerns this flag alone. */
  const own = (resolution: Resolution): Resolution => {
    const { answer } = resolution;
    if (answer.kind !== 'failed' || answer.failure.kind !== 'context') return resolution;
    const why = `Flipt cannot be asked: ${answer.failure.message}`;
    return failedResolution(unreadableFailure(flag, unreadable, why));
  };
  const asked = ask(...question);
  return asked instanceof Promise ? asked.then(own) : own(asked);
}

const OFFLINE = 'Flipt is not asked (watch: false)';

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
