import { failedResolution, type Question, type Resolution } from '../../model/answer.js';
import type { Runtime } from '../../model/runtime.js';
import { unreadableFailure } from '../evaluate/unreadable-flag.js';
import type { SnapshotSource } from '../../snapshot/source.js';
import type { Failure } from '../../model/failure.js';
import type { ProviderSnapshots } from './provider-snapshots.js';
import type { SnapshotForAnswers } from '../../remote/answers.js';

/**
 * Makes the functions with which the cache of answers uses the snapshot. `maxAgeMs` is `undefined` if the provider does
 * not poll Flipt.
 */
export function snapshotForAnswers(
  snapshots: Pick<ProviderSnapshots, 'opened' | 'missing'>,
  maxAgeMs: number | undefined,
  { clock }: Pick<Runtime, 'clock'>,
): SnapshotForAnswers {
  const opened = () => snapshots.opened();
  return {
    confirms: (question, answer) => opened().confirms(question, answer),
    missing: (flag) => {
      snapshots.missing(flag);
    },
    evaluate(question, failure) {
      const source = opened();
      return evaluateInstead(source, question, failure, clock.now());
    },
    sureness(now) {
      const watch = opened();
      watch.used(now);
      return maxAgeMs !== undefined ? { sureForMs: -watch.lostForMs(now), maxAgeMs } : undefined;
    },
  };
}

/**
 * Returns the snapshot's answer to a question for which Flipt gave no answer. `failure` is the reason why Flipt gave no
 * answer. The result is `undefined` if there is no snapshot, or if the snapshot does not have the flag. If the provider
 * cannot read the flag in the snapshot, the result is a failure.
 */
export function evaluateInstead(
  snapshots: SnapshotSource,
  question: Question,
  failure: Failure,
  now: number,
): Resolution | undefined {
  const snapshot = snapshots.snapshot();
  const unreadable = snapshot?.flags.unreadable(question.flag);
  if (unreadable !== undefined) {
    const asked = unreadableFailure(question.flag, unreadable, failure.message);
    return { ...failedResolution(asked), ageMs: Infinity };
  }
  const answer = snapshots.evaluate(question);
  if (answer === undefined || snapshot === undefined) return undefined;
  const ageMs = snapshots.ageMs(now);
  return { answer, source: 'in-process', ageMs, stale: true, version: snapshot.version };
}
