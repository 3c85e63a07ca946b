import type { Failure } from '../../model/failure.js';
import { failed, type Ask, type Question } from '../../model/answer.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import type { SnapshotSource } from '../../snapshot/snapshot-source.js';
import type { Watch } from '../../snapshot/watch/watch.js';
import { quoted } from '../../base/text/describe.js';
import { outsideRequests } from '../../base/time/background-work.js';
import type { Clock } from '../../base/time/clock.js';

type OpenedSnapshots = Pick<SnapshotSource, 'expected'> & {
  readonly watch: Pick<Watch, 'snapshot' | 'confirmedAt' | 'poll'>;
};

/** The part of the provider's snapshots that is needed here. */
interface Believed {
  readonly opened: () => OpenedSnapshots | undefined;
  readonly isNotOffered: () => boolean;
}

export interface BelieveSettings {
  /**
   * If the service has contradicted its snapshot for this many milliseconds, and has not confirmed it in that time, the
   * provider believes the service.
   */
  readonly acceptLossAfterMs: number;
  /** Returns why the service has no flags although it had some, or `undefined` if it has flags as far as is known. */
  readonly flagsLost: () => Failure | undefined;
}

/**
 * Makes an `ask` that does not believe NOT_FOUND while a snapshot with the flag is in force, because the service might
 * have lost its flags, or might be one of several that differ. The question then fails with `flags-lost`, so that the
 * snapshot or the last known answer is used.
 *
 * The first NOT_FOUND for each version of the snapshot causes a poll. If the poll brings a snapshot without the flag,
 * the flag is gone. If the poll finds that all flags are lost, the service is not asked for them until it has some. If
 * the service never confirms the snapshot again, the provider believes NOT_FOUND after `acceptLossAfterMs`.
 */
export function believingSnapshot(
  ask: Ask,
  snapshots: Believed,
  { acceptLossAfterMs, flagsLost }: BelieveSettings,
  clock: Clock,
) {
  /** The snapshot that was contradicted last, and since when the service has contradicted it without confirming it. */
  let contradicted: { readonly of: WeakRef<Snapshot>; readonly since: number } | undefined;
  /** Returns the watch if its snapshot has this flag, and otherwise `undefined`. */
  const watchOf = ({ flag }: Question) => {
    const watch = snapshots.opened()?.watch;
    // If Flipt offers no snapshots, no later snapshot could show that the flag is gone.
    return watch?.snapshot()?.flags.keys().has(flag) && !snapshots.isNotOffered() ? watch : undefined;
  };
  /**
   * Returns for how many milliseconds the service has contradicted the snapshot. The first contradiction causes a poll.
   */
  const contradictedForMs = (watch: Pick<Watch, 'snapshot' | 'confirmedAt' | 'poll'>, snapshot: Snapshot) => {
    const now = clock.now();
    const before = contradicted?.of.deref() === snapshot ? contradicted : undefined;
    if (before === undefined) void outsideRequests(() => watch.poll());
    const isLasting = before !== undefined && (watch.confirmedAt() ?? -Infinity) <= before.since;
    contradicted = isLasting ? before : { of: new WeakRef(snapshot), since: now };
    return now - contradicted.since;
  };
  /**
   * Waits for the flags of a saved snapshot that is still unread, because they may be needed in place of an answer that
   * Flipt could not give.
   */
  const flagsOfEarlierRun = async () => {
    const opened = snapshots.opened();
    if (opened?.watch.snapshot() === undefined) await opened?.expected?.();
  };
  const believing: Ask = async (question, ...more) => {
    const answer = await ask(question, ...more);
    if (answer.kind === 'missing' || answer.kind === 'failed') await flagsOfEarlierRun();
    const watch = answer.kind === 'missing' ? watchOf(question) : undefined;
    const snapshot = watch?.snapshot();
    if (watch === undefined || snapshot === undefined) return answer;
    if (contradictedForMs(watch, snapshot) >= acceptLossAfterMs) return answer;
    const message = `Flipt does not know the flag ${quoted(question.flag)}, which is in its last snapshot`;
    return failed({ kind: 'flags-lost', message });
  };
  return {
    ask: believing,
    /** Returns why the service must not be asked this question now, or `undefined` if nothing speaks against asking. */
    refusal(question: Question): Failure | undefined {
      const lost = flagsLost();
      return lost && watchOf(question) && lost;
    },
  };
}
