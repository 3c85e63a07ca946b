import type { Failure } from '../../model/failure.js';
import { failed, type Ask, type Question } from '../../model/answer.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import type { Watch } from '../../snapshot/watch/watch.js';
import { quoted } from '../../base/text/describe.js';
import { outsideRequests } from '../../base/time/background-work.js';
import type { Clock } from '../../base/time/clock.js';

/** What is needed of the provider's snapshots. */
interface Believed {
  readonly opened: () => { readonly watch: Pick<Watch, 'snapshot' | 'confirmedAt' | 'poll'> } | undefined;
  readonly isNotOffered: () => boolean;
}

export interface BelieveSettings {
  /** Once the service has contradicted its snapshot for so many milliseconds, and never confirmed it, it is right. */
  readonly acceptLossAfterMs: number;
  /** Why the service has no flags, where it had some; `undefined` if it has them, as far as is known. */
  readonly flagsLost: () => Failure | undefined;
}

/**
 * While a snapshot with the flag is in force, NOT_FOUND is no answer: the service may have lost its flags, or it may be
 * one of several that differ. So the question has failed as `flags-lost`, and the snapshot or the last known answer is
 * used. The first such answer for each version of the snapshot brings a poll: if that serves a snapshot without the
 * flag, the flag is gone. If it finds that all flags are lost, the service is not asked for them until it has some. Where
 * the service never confirms the snapshot again, NOT_FOUND is an answer after `acceptLossAfterMs`.
 */
export function believingSnapshot(
  ask: Ask,
  snapshots: Believed,
  { acceptLossAfterMs, flagsLost }: BelieveSettings,
  clock: Clock,
) {
  /** The snapshot that was contradicted last, and since when it has been, without a confirmation. */
  let contradicted: { readonly of: WeakRef<Snapshot>; readonly since: number } | undefined;
  /** The watch of a snapshot with this flag; `undefined` if there is none. */
  const watchOf = ({ flag }: Question) => {
    const watch = snapshots.opened()?.watch;
    // Where Flipt offers no snapshots, no later one could say that the flag is gone.
    return watch?.snapshot()?.flags.keys().has(flag) && !snapshots.isNotOffered() ? watch : undefined;
  };
  /** Milliseconds for which the service has contradicted the snapshot. The first time brings a poll. */
  const contradictedForMs = (watch: Pick<Watch, 'snapshot' | 'confirmedAt' | 'poll'>, snapshot: Snapshot) => {
    const now = clock.now();
    const before = contradicted?.of.deref() === snapshot ? contradicted : undefined;
    if (before === undefined) void outsideRequests(() => watch.poll());
    const isLasting = before !== undefined && (watch.confirmedAt() ?? -Infinity) <= before.since;
    contradicted = isLasting ? before : { of: new WeakRef(snapshot), since: now };
    return now - contradicted.since;
  };
  const believing: Ask = async (question, ...more) => {
    const answer = await ask(question, ...more);
    const watch = answer.kind === 'missing' ? watchOf(question) : undefined;
    const snapshot = watch?.snapshot();
    if (watch === undefined || snapshot === undefined) return answer;
    if (contradictedForMs(watch, snapshot) >= acceptLossAfterMs) return answer;
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
