import type { SnapshotForCache } from '../../cache/cached-answers.js';
import type { Diagnostics } from '../../diagnostics/diagnostics.js';
import type { Runtime } from '../../runtime.js';
import type { LazySnapshotSource } from '../lazy-snapshot-source.js';
import { unconfirmedAnswers } from './unconfirmed-answers.js';

/** What the cache learns from the snapshot. `maxAgeMs` is `undefined` if the service is not watched. */
export function snapshotForCache(
  snapshots: Pick<LazySnapshotSource, 'opened' | 'missing'>,
  maxAgeMs: number | undefined,
  runtime: Runtime & Diagnostics,
): SnapshotForCache {
  const { opened, missing } = snapshots;
  const compareLater = maxAgeMs === undefined ? undefined : unconfirmedAnswers(snapshots, runtime);
  return {
    confirms(question, answer) {
      const isConfirmed = opened()?.confirms(question, answer) ?? false;
      if (!isConfirmed) compareLater?.(question, answer);
      return isConfirmed;
    },
    missing,
    evaluate(question, failure) {
      const source = opened();
      return source?.evaluateInstead(source, question, failure, runtime.clock.now());
    },
    reliance(now) {
      const watch = opened()?.watch;
      return watch && maxAgeMs !== undefined ? { lostForMs: watch.lostForMs(now), maxAgeMs } : undefined;
    },
  };
}
