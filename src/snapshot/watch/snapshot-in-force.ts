import { inBackground, nextTurn } from '../../base/time/pausable-steps.js';
import type { UnreadableFlag } from '../../model/answer.js';
import type { Emptied, LostHalf } from '../../model/events/internal-events.js';
import type { Runtime } from '../../model/runtime.js';
import type { Known } from '../fetch-snapshot.js';
import type { FlagChange } from '../flag-content.js';
import { changes, type Snapshot } from '../snapshot.js';
import { Alternation } from './alternation.js';

/** The provider warns that more than half of the flags are gone only if there were at least this many flags before. */
const MANY_FLAGS = 10;

const NONE: ReadonlyMap<string, UnreadableFlag> = new Map();

/**
 * Holds the snapshot in force, and reports which of its flags change. `finish` looks once through the flags of the
 * snapshot for flags that cannot be read, and stops early if `isClosed` returns `true` or if another snapshot is in
 * force. As long as `isCompared` returns `false`, nobody has to be told which flags have
 * changed, so only the keys of the flags are compared.
 */
export function snapshotInForce(
  { clock, report }: Runtime,
  isCompared: () => boolean,
  isClosed: () => boolean,
) {
  let known: Known | undefined;
  const alternation = new Alternation(report);
  /** The snapshot for which `finish` was called last. */
  let finishing: Snapshot | undefined;
  /** The unreadable flags that were reported last. */
  let reported: ReadonlyMap<string, UnreadableFlag> = NONE;

  const reportUnreadable = (flags: ReadonlyMap<string, UnreadableFlag>) => {
    const before = reported;
    reported = flags;
    if (flags.size !== before.size || Array.from(flags.keys()).some((key) => !before.has(key)))
      report({ type: 'flags-unreadable', flags });
  };
  const isInForce = (snapshot: Snapshot) => !isClosed() && known?.snapshot === snapshot;
  /**
   * Looks through all flags of the snapshot in force once, and reports repeated keys and the flags that cannot be read.
   * If the flags that cannot be read are the ones that were reported last, they are not reported again.
   */
  const finish = async (): Promise<void> => {
    const snapshot = known?.snapshot;
    if (snapshot === undefined || snapshot === finishing) return;
    finishing = snapshot;
    const { flags } = snapshot;
    if (flags.repeated.size > 0) report({ type: 'flags-repeated', flags: [...flags.repeated] });
    const turns = inBackground(clock);
    await nextTurn(turns);
    const unreadable = new Map<string, UnreadableFlag>();
    await flags.each(turns, (key, flag) => {
      if (flag !== undefined && 'reason' in flag) unreadable.set(key, flag);
      return isInForce(snapshot);
    });
    if (isInForce(snapshot)) reportUnreadable(unreadable);
  };

  /**
   * Reports a warning if more than half of the flags are gone. This check needs only the keys of the flags, so it is
   * also made if nobody has to be told which flags have changed.
   */
  const compareKeys = (before: Snapshot) => {
    const lost = known && lostHalf(before, known.snapshot);
    if (lost !== undefined) report({ type: 'flags-changed', flags: lost.keys, lostHalf: lost });
  };

  return {
    compareKeys,
    known: () => known,
    snapshot: () => known?.snapshot,
    /**
     * Makes a snapshot the first snapshot in force. `start` does not look at the flags of this snapshot, because the
     * first poll may replace the snapshot.
     */
    start: (starting: Known) => {
      known = starting;
    },
    finish,
    /**
     * Returns which flags will change when `next` replaces the snapshot in force. The result is `undefined` if the
     * flags are not compared, for example because nobody has to be told which flags have changed.
     */
    async prepare(next: Snapshot): Promise<readonly FlagChange[] | undefined> {
      while (known !== undefined && known.snapshot !== next && isCompared() && !isClosed()) {
        const before = known.snapshot;
        const changed = await changes(before, next, clock);
        if (before === known.snapshot) return changed;
      }
      return undefined;
    },
    /** Replaces the snapshot in force by `next`, and reports the changes that `prepare` has found. */
    replace(next: Known, changed: readonly FlagChange[] | undefined, emptied?: Emptied) {
      const before = known?.snapshot;
      const { snapshot, etag } = next;
      known = next;
      alternation.polled(changed ?? []);
      if (snapshot === before) return;
      if (before && changed === undefined && emptied === undefined) compareKeys(before);
      // Flipt v1 sends an empty snapshot without an ETag for an unknown namespace, but also for a new namespace, which
      // has no flags yet.
      if (emptied === undefined && etag === undefined && snapshot.flags.keys().size === 0)
        report({ type: 'namespace-suspect', failure: undefined });
      if (changed === undefined || changed.length === 0) return;
      const flags = changed.map(({ key }) => key);
      report({ type: 'flags-changed', flags, lostHalf: before && lostHalf(before, snapshot), emptied });
    },
  };
}

function lostHalf(before: Snapshot, after: Snapshot): LostHalf | undefined {
  const [had, has] = [before.flags.keys(), after.flags.keys()];
  const keys = [...had.keys()].filter((key) => !has.has(key));
  return had.size >= MANY_FLAGS && keys.length > had.size / 2 ? { keys, of: had.size } : undefined;
}
