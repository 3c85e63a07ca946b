import type { Failure } from '../model/failure.js';
import { failed, type Ask, type Question } from '../model/answer.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { quoted } from '../base/text/describe.js';
import { outsideRequests } from '../base/time/background-work.js';
import type { ProviderSnapshots } from './provider-snapshots.js';

/**
 * While a snapshot with the flag is in force, NOT_FOUND is no answer: the service may have lost its flags, or it may be
 * one of several that differ. So the question has failed as `flags-lost`, and the snapshot or the last known answer is
 * used. The first such answer for each version of the snapshot brings a poll: if that serves a snapshot without the
 * flag, the flag is gone. If it finds that all flags are lost, the service is not asked for them until it has some.
 */
export function believingSnapshot(
  ask: Ask,
  snapshots: Pick<ProviderSnapshots, 'opened' | 'isNotOffered'>,
  flagsLost: () => Failure | undefined,
) {
  let polledFor: Snapshot | undefined;
  /** The watch of a snapshot with this flag; `undefined` if there is none. */
  const watchOf = ({ flag }: Question) => {
    const watch = snapshots.opened()?.watch;
    // Where Flipt offers no snapshots, no later one could say that the flag is gone.
    return watch?.snapshot()?.keys().has(flag) && !snapshots.isNotOffered() ? watch : undefined;
  };
  const believing: Ask = async (question, ...more) => {
    const answer = await ask(question, ...more);
    const watch = answer.kind === 'missing' ? watchOf(question) : undefined;
    if (watch === undefined) return answer;
    if (polledFor !== watch.snapshot()) {
      polledFor = watch.snapshot();
      void outsideRequests(() => watch.poll());
    }
    const message = `Flipt does not know the flag ${quoted(question.flag)}, which is in its last snapshot`;
    return failed({ kind: 'flags-lost', message });
  };
  return {
    ask: believing,
    /** Why the service is not asked this question now; `undefined` if it is. */
    refusal(question: Question): Failure | undefined {
      const lost = flagsLost();
      return lost && watchOf(question) && lost;
    },
  };
}
