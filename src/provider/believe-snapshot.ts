import { failed, type Ask } from '../model/answer.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { quoted } from '../text/describe.js';
import { outsideRequests } from '../time/background-work.js';
import type { LazySnapshotSource } from './lazy-snapshot-source.js';

/**
 * While a snapshot with the flag is in force, NOT_FOUND is no answer: the service may have lost its flags, or it may be
 * one of several, with others. So the question has failed as `flags-lost`, and the snapshot or the last known answer is
 * used. The first such answer for each version of the snapshot brings a poll: if that serves a snapshot without the
 * flag, the flag is gone.
 */
export function believingSnapshot(
  ask: Ask,
  snapshots: Pick<LazySnapshotSource, 'opened' | 'isNotOffered'>,
): Ask {
  let polledFor: Snapshot | undefined;
  return async (question, ...more) => {
    const answer = await ask(question, ...more);
    const watch = answer.kind === 'missing' ? snapshots.opened()?.watch : undefined;
    const snapshot = watch?.snapshot();
    // Where Flipt offers no snapshots, no later one could say that the flag is gone.
    if (!snapshot?.keys().has(question.flag) || snapshots.isNotOffered()) return answer;
    if (polledFor !== snapshot) {
      polledFor = snapshot;
      void outsideRequests(() => watch?.poll());
    }
    const message = `Flipt does not know the flag ${quoted(question.flag)}, which is in its last snapshot`;
    return failed({ kind: 'flags-lost', message });
  };
}
