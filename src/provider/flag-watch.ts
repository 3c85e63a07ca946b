import type { FlagWatch } from '../cache/cached-answers.js';
import type { Clock } from '../time/clock.js';
import { failedResolution } from '../model/resolution.js';
import type { OpenSnapshots } from '../snapshot/open-snapshots.js';
import type { Snapshots } from './lazy-snapshots.js';
import { unreadableFailure } from './mapping/unreadable-failure.js';

/** What the cache learns from the snapshot. `maxAgeMs` is `undefined` if the service is not watched. */
export function flagWatch(
  { opened, missing }: Pick<Snapshots, 'opened' | 'missing'>,
  maxAgeMs: number | undefined,
  clock: Clock,
): FlagWatch {
  return {
    confirms: (question, answer) => opened()?.confirms(question, answer) ?? false,
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
export function ageMsOf(snapshots: Pick<OpenSnapshots, 'watch'> | undefined, now: number): number {
  return now - (snapshots?.watch.confirmedAt() ?? -Infinity);
}
