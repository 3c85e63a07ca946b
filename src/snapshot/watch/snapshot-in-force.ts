import { inBackground } from '../../base/time/pausable-steps.js';
import type { UnreadableFlag } from '../../model/answer.js';
import type { LostHalf } from '../../model/events/internal-events.js';
import type { Runtime } from '../../model/runtime.js';
import type { Known } from '../fetch-snapshot.js';
import { isWhole, readRest, type Snapshot } from '../snapshot.js';
import { Alternation } from './alternation.js';

/** Where so many flags or more were known, and more than half of them are gone, that is worth a warning. */
const MANY_FLAGS = 10;

const NONE: ReadonlyMap<string, UnreadableFlag> = new Map();

/**
 * Holds the snapshot in force, and reports what changes with it. What is not read yet of it is read in the background,
 * from `finish` until `isClosed`. Unless `isCompared`, nobody has to learn which flags have changed.
 */
export function snapshotInForce(
  { clock, report }: Runtime,
  isCompared: () => boolean,
  isClosed: () => boolean,
) {
  let known: Known | undefined;
  const alternation = new Alternation(report);
  /** The snapshot of which the rest is read, or has been read. */
  let finishing: Snapshot | undefined;
  /** The flags that were reported last. */
  let reported: ReadonlyMap<string, UnreadableFlag> = NONE;

  const reportUnreadable = ({ features: { unreadable: flags } }: Snapshot) => {
    const before = reported;
    reported = flags;
    if (flags.size !== before.size || Array.from(flags.keys()).some((key) => !before.has(key)))
      report({ type: 'flags-unreadable', flags });
  };
  const isInForce = (snapshot: Snapshot) => !isClosed() && known?.snapshot === snapshot;
  /** Reads what is not read yet, and reports what cannot be read. */
  const finish = () => {
    const snapshot = known?.snapshot;
    if (snapshot === undefined || snapshot === finishing) return;
    finishing = snapshot;
    if (snapshot.repeated.size > 0) report({ type: 'flags-repeated', flags: [...snapshot.repeated] });
    if (isWhole(snapshot)) {
      reportUnreadable(snapshot);
      return;
    }
    void whole().then((read) => {
      if (read === snapshot) reportUnreadable(snapshot);
    });
  };
  /** The snapshot, once all of its flags have been read; `undefined` if it was replaced before. */
  const whole = async (): Promise<Snapshot | undefined> => {
    const snapshot = known?.snapshot;
    if (snapshot === undefined) return undefined;
    await readRest(snapshot, inBackground(clock), () => isInForce(snapshot));
    return isInForce(snapshot) ? snapshot : undefined;
  };

  /** Where nobody has to learn which flags have changed, reports still that more than half of these are gone. */
  const compareKeys = (before: Snapshot) => {
    const lost = known && lostHalf(before, known.snapshot);
    if (lost !== undefined) report({ type: 'flags-changed', flags: lost.keys, lostHalf: lost });
  };

  return {
    compareKeys,
    known: () => known,
    snapshot: () => known?.snapshot,
    whole,
    /** Takes one to start from. Its rest is not read before `finish`: the first poll may bring another one. */
    start: (starting: Known) => {
      known = starting;
    },
    finish,
    /**
     * Reads both snapshots to their ends, if `next` is another one: all of their flags are compared. The result says
     * whether they can be, and have to be.
     */
    async prepare(next: Snapshot): Promise<boolean> {
      while (known !== undefined && known.snapshot !== next && isCompared() && !isClosed()) {
        const before = known.snapshot;
        if (isWhole(before) && isWhole(next)) return true;
        await readRest(before, clock, () => !isClosed());
        await readRest(next, clock, () => !isClosed());
      }
      return false;
    },
    /** Replaces it, unless it is the same. If `isComparable`, reports the flags that have changed. */
    replace(next: Known, isComparable: boolean) {
      const before = known?.snapshot;
      const { snapshot, etag } = next;
      known = next;
      const compared = isComparable || snapshot === before ? before?.contents : undefined;
      const flags = alternation.polled(compared, snapshot.contents);
      if (snapshot === before) return;
      if (before && !isComparable) compareKeys(before);
      // v1 answers like this for an unknown namespace. A new namespace is empty, too.
      if (etag === undefined && snapshot.keys().size === 0)
        report({ type: 'namespace-suspect', failure: undefined });
      if (flags.length > 0)
        report({ type: 'flags-changed', flags, lostHalf: before && lostHalf(before, snapshot) });
    },
  };
}

function lostHalf(before: Snapshot, after: Snapshot): LostHalf | undefined {
  const [had, has] = [before.keys(), after.keys()];
  const keys = [...had.keys()].filter((key) => !has.has(key));
  return had.size >= MANY_FLAGS && keys.length > had.size / 2 ? { keys, of: had.size } : undefined;
}
