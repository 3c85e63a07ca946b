import { inBackground } from '../../time/pausable-steps.js';
import type { UnreadableFlag } from '../../model/answer.js';
import type { LostHalf } from '../../diagnostics/internal-events.js';
import type { Runtime } from '../../runtime.js';
import type { Known } from '../fetch-snapshot.js';
import { isWhole, readRest, type Snapshot } from '../snapshot.js';
import { Alternation } from './alternation.js';

/** Where so many flags or more were known, and more than half of them are gone, that is worth a warning. */
const MANY_FLAGS = 10;

const NONE: ReadonlyMap<string, UnreadableFlag> = new Map();

/**
 * Holds the snapshot in force, and reports what changes with it. What is not read yet of it is read in the background,
 * until `isClosed`.
 */
export function snapshotInForce({ clock, report }: Runtime, isClosed: () => boolean) {
  let known: Known | undefined;
  const alternation = new Alternation(report);
  /** The flags that were reported last. */
  let reported: ReadonlyMap<string, UnreadableFlag> = NONE;

  const reportUnreadable = ({ features: { unreadable: flags } }: Snapshot) => {
    const before = reported;
    reported = flags;
    if (flags.size !== before.size || Array.from(flags.keys()).some((key) => !before.has(key)))
      report({ type: 'flags-unreadable', flags });
  };
  const isInForce = (snapshot: Snapshot) => !isClosed() && known?.snapshot === snapshot;
  const take = (next: Known) => {
    known = next;
    const { snapshot } = next;
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

  return {
    known: () => known,
    whole,
    /** Takes one to start from. */
    start: take,
    /** Reads both snapshots to their ends, if `next` is another one: all of their flags are compared. */
    async prepare(next: Snapshot) {
      while (known !== undefined && known.snapshot !== next && !isClosed()) {
        const before = known.snapshot;
        if (isWhole(before) && isWhole(next)) return;
        await readRest(before, clock, () => !isClosed());
        await readRest(next, clock, () => !isClosed());
      }
    },
    /** Replaces it by one that is prepared, unless it is the same, and reports the flags that have changed. */
    replace(next: Known) {
      const before = known?.snapshot;
      const { snapshot, etag } = next;
      known = next;
      const flags = alternation.polled(before?.contents, snapshot.contents);
      if (snapshot === before) return;
      // v1 answers like this for an unknown namespace. A new namespace is empty, too.
      if (etag === undefined && snapshot.keys().size === 0)
        report({ type: 'namespace-suspect', failure: undefined });
      if (flags.length > 0)
        report({ type: 'flags-changed', flags, lostHalf: before && lostHalf(before, snapshot) });
      take(next);
    },
  };
}

function lostHalf(before: Snapshot, after: Snapshot): LostHalf | undefined {
  const [had, has] = [before.keys(), after.keys()];
  const keys = [...had.keys()].filter((key) => !has.has(key));
  return had.size >= MANY_FLAGS && keys.length > had.size / 2 ? { keys, of: had.size } : undefined;
}
