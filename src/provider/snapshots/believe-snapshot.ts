import type { Failure } from '../../model/failure.js';
import { failed, type Ask, type Question } from '../../model/answer.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import type { SnapshotSource } from '../../snapshot/source.js';
import { quoted } from '../../base/text/describe.js';
import { outsideRequests } from '../../base/time/background-work.js';
import type { Clock } from '../../base/time/clock.js';

type Watch = Pick<SnapshotSource, 'snapshot' | 'confirmedAt' | 'poll'>;

/** What `believingSnapshot` needs of the provider's snapshots. */
interface Believed {
  readonly opened: () => Watch | undefined;
  readonly isNotOffered: () => boolean;
}

export interface BelieveSettings {
  /**
   * The provider accepts that a flag of the snapshot is gone after Flipt has answered NOT_FOUND for this many
   * milliseconds without confirming the snapshot.
   */
  readonly acceptLossAfterMs: number;
  /** Returns the failure `flags-lost` if Flipt has lost the flags that it had before, and otherwise `undefined`. */
  readonly flagsLost: () => Failure | undefined;
}

/**
 * Wraps `ask`, so that an answer NOT_FOUND usually does not count while the current snapshot has the flag. Flipt might
 * have lost its flags, or one of several replicas might lack the flag. An answer NOT_FOUND that does not count becomes
 * the failure `flags-lost`, so that the caller gets the snapshot's value or the last known answer.
 *
 * The first NOT_FOUND for each version of the snapshot causes a poll. If the poll after NOT_FOUND brings a snapshot
 * without the flag, the provider accepts that the flag is gone. If the poll after NOT_FOUND shows that Flipt has lost
 * all flags, the provider sends no more questions about the snapshot's flags until Flipt has flags again. If Flipt
 * never confirms the snapshot again, the provider accepts NOT_FOUND after `acceptLossAfterMs`.
 */
export function believingSnapshot(
  ask: Ask,
  snapshots: Believed,
  { acceptLossAfterMs, flagsLost }: BelieveSettings,
  clock: Clock,
) {
  /**
   * The snapshot that Flipt contradicted last, and the time since when Flipt has contradicted this snapshot without
   * confirming it.
   */
  let contradicted: { readonly of: WeakRef<Snapshot>; readonly since: number } | undefined;
  /** Returns the watch if the current snapshot has the question's flag, and otherwise `undefined`. */
  const watchOf = ({ flag }: Question) => {
    const watch = snapshots.opened();
    // If Flipt offers no snapshots, no later snapshot can show that the flag is gone, so that NOT_FOUND counts.
    return watch?.snapshot()?.flags.keys().has(flag) && !snapshots.isNotOffered() ? watch : undefined;
  };
  /**
   * Returns for how many milliseconds Flipt has contradicted the snapshot. The first contradiction of a snapshot causes
   * a poll.
   */
  const contradictedForMs = (watch: Watch, snapshot: Snapshot) => {
    const now = clock.now();
    const before = contradicted?.of.deref() === snapshot ? contradicted : undefined;
    if (before === undefined) void outsideRequests(() => watch.poll());
    const isLasting = before !== undefined && (watch.confirmedAt() ?? -Infinity) <= before.since;
    contradicted = isLasting ? before : { of: new WeakRef(snapshot), since: now };
    return now - contradicted.since;
  };
  const believing: Ask = async (question, until) => {
    const answer = await ask(question, until);
    const watch = answer.kind === 'missing' ? watchOf(question) : undefined;
    const snapshot = watch?.snapshot();
    if (watch === undefined || snapshot === undefined) return answer;
    if (contradictedForMs(watch, snapshot) >= acceptLossAfterMs) return answer;
    const message = `Flipt does not know the flag ${quoted(question.flag)}, which is in its last snapshot`;
    return failed({ kind: 'flags-lost', message });
  };
  return {
    ask: believing,
    /** Returns the failure `flags-lost` if the provider must not send this question now, and otherwise `undefined`. */
    refusal(question: Question): Failure | undefined {
      const lost = flagsLost();
      return lost && watchOf(question) && lost;
    },
  };
}
