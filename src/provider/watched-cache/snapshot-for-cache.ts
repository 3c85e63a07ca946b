import type { SnapshotForCache } from '../../cache/cached-answers.js';
import type { Diagnostics } from '../../diagnostics/diagnostics.js';
import { failedResolution } from '../../model/resolution.js';
import type { SnapshotSource } from '../../snapshot/snapshot-source.js';
import type { Runtime } from '../../runtime.js';
import type { LazySnapshotSource } from '../lazy-snapshot-source.js';
import { unconfirmedAnswers } from './unconfirmed-answers.js';
import { unreadableFailure } from '../mapping/unreadable-failure.js';

/** What the cache learns from the snapshot. `maxAgeMs` is `undefined` if the service is not watched. */
export function snapshotForCache(
  snapshots: Pick<LazySnapshotSource, 'opened' | 'missing'>,
  maxAgeMs: number | undefined,
  runtime: Runtime & Diagnostics,
): SnapshotForCache {
  const { opened, missing } = snapshots;
  const { clock } = runtime;
  const compareLater = maxAgeMs === undefined ? undefined : unconfirmedAnswers(snapshots, runtime);
  return {
    confirms(question, answer) {
      const isConfirmed = opened()?.confirms(question, answer) ?? false;
      if (!isConfirmed) compareLater?.(question, answer);
      return isConfirmed;
    },
    missing,
    evaluate(question, failure) {
      const snapshots = opened();
      const snapshot = snapshots?.watch.snapshot();
      const unreadable = snapshot?.unreadable(question.flag);
      if (unreadable !== undefined) {
        const asked = unreadableFailure(question.flag, unreadable, failure.message);
        return { ...failedResolution(asked), ageMs: Infinity };
      }
      const answer = snapshots?.evaluate(question);
      if (answer === undefined || snapshot === undefined) return undefined;
      const ageMs = ageMsOf(snapshots, clock.now());
      return { answer, source: 'in-process', ageMs, stale: true, version: snapshot.version };
    },
    reliance(now) {
      const watch = opened()?.watch;
      return watch && maxAgeMs !== undefined ? { lostForMs: watch.lostForMs(now), maxAgeMs } : undefined;
    },
  };
}

/** Milliseconds since the service last confirmed the snapshot; infinite if it never has. */
export function ageMsOf(snapshots: Pick<SnapshotSource, 'watch'> | undefined, now: number): number {
  return now - (snapshots?.watch.confirmedAt() ?? -Infinity);
}
