import { outsideRequests } from '../base/time/background-work.js';
import type { Diagnostics } from '../model/events/reporter.js';
import { untilAborted } from '../base/time/in-time.js';
import type { Send } from '../http/reply.js';
import type { ProviderSettings } from '../options/settings.js';
import type { Runtime } from '../model/runtime.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { openSnapshotSource, type SnapshotSource } from '../snapshot/snapshot-source.js';
import { warnOfSnapshots } from './start/snapshot-warnings.js';

/** `none`: the service offers no snapshots, or the provider is closed. Asking again soon would not help. */
export type FirstPoll = 'succeeded' | 'failed' | 'none';

/** The snapshots of one life of a provider. */
export interface ProviderSnapshots {
  /** The service's snapshot, or until there is one, the kept or initial one; `undefined` until it is opened. */
  readonly opened: () => SnapshotSource | undefined;
  /** The snapshot itself; `undefined` while there is none. */
  readonly snapshot: () => Snapshot | undefined;
  /** A flag that does not exist was asked for: reports the key that was probably meant, once there is a snapshot. */
  readonly missing: (flag: string) => void;
  /**
   * Loads the kept snapshot, then begins to watch. Resolves when the kept one is loaded, or at the close, because a store
   * that hangs must not delay that. Never rejects.
   */
  readonly open: () => Promise<void>;
  /** As `open`, which all callers share. */
  readonly start: () => Promise<void>;
  /** How the first poll ended. Never rejects; ends at the latest with the close. */
  readonly firstPoll: Promise<FirstPoll>;
  /** Polls first if there is no snapshot yet. Never rejects. */
  readonly withSnapshot: () => Promise<void>;
  /** Polls if that is due and no poll is under way, and completes a save that is due. Never rejects. */
  readonly refresh: () => Promise<void>;
  /** Whether the service seems to offer no snapshots. One in force then comes from the options or an earlier run. */
  readonly isNotOffered: () => boolean;
  /** Why a snapshot from the options is not used; `undefined` if nothing went wrong. */
  readonly trouble: () => string | undefined;
  /** Completes pending saves. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Missing flags that are remembered until there is a snapshot to compare them with. */
const MOST_REMEMBERED = 20;

/**
 * They are opened by a start, or by a call: before, nothing is sent or read. `isStarting`: nobody has been told that the
 * provider is ready.
 */
export function providerSnapshots(
  send: Send,
  settings: ProviderSettings,
  runtime: Runtime & Pick<Diagnostics, 'listen'>,
  isStarting = () => false,
): ProviderSnapshots {
  const { logger } = settings;
  const { clock } = runtime;
  let opened: SnapshotSource | undefined;
  let warnIfOld: (() => void) | undefined;
  let trouble: string | undefined;
  let starting: Promise<void> | undefined;
  const closing = new AbortController();
  const isClosed = () => closing.signal.aborted;
  const snapshot = () => opened?.watch.snapshot();
  const polls = pollOutcomes(runtime, closing.signal);

  const warn = (message: string) => {
    trouble = message;
    // During the close, an open snapshot may still fail to be saved.
    if (!isClosed() || opened !== undefined) logger.warn(message);
  };
  const ageMs = () => clock.now() - (opened?.watch.confirmedAt() ?? Infinity);
  const life = { warn, closing: closing.signal, isStarting };
  const openNow = async () => {
    if (isClosed()) return;
    trouble = undefined;
    const opening = openSnapshotSource(send, settings, life, runtime);
    // The call that opens may be ended by its runtime, and then another opens again.
    warnIfOld ??= warnOfSnapshots(opening, ageMs, settings, runtime);
    opened = await opening;
    // No poll could replace it.
    if (settings.watch === undefined) warnIfOld();
    if (isClosed()) await opened.close();
  };
  const open = () => untilAborted(openNow(), closing.signal, undefined);

  return {
    opened: () => opened,
    snapshot,
    missing: missingFlags(() => opened, runtime),
    open,
    start() {
      // Without a watch, nothing else brings the snapshot of a store that could not be asked at the first start.
      if (settings.watch === undefined && opened !== undefined && snapshot() === undefined)
        starting = undefined;
      return (starting ??= open());
    },
    firstPoll: polls.first,
    async withSnapshot() {
      await starting;
      if (snapshot() === undefined) await outsideRequests(() => opened?.watch.poll());
    },
    async refresh() {
      await opened?.refresh();
      await opened?.flush();
    },
    isNotOffered: polls.isNotOffered,
    trouble: () => trouble,
    async close() {
      closing.abort();
      await opened?.close();
    },
  };
}

/** How the first poll ends, and whether the service offers snapshots. */
function pollOutcomes({ listen }: Pick<Diagnostics, 'listen'>, closing: AbortSignal) {
  let isNotOffered = false;
  const first = new Promise<FirstPoll>((resolve) => {
    // Comes before the event `snapshot-polled` of the same poll, so that `none` wins.
    listen('watch-changed', ({ state }) => {
      isNotOffered = state === 'not-offered';
      if (isNotOffered) resolve('none');
    });
    listen('snapshot-polled', ({ failure }) => {
      // A kept snapshot came late: the service has snapshots, and has lost its flags.
      if (failure?.kind === 'flags-lost') isNotOffered = false;
      resolve(failure === undefined ? 'succeeded' : 'failed');
    });
    closing.addEventListener('abort', () => {
      resolve('none');
    });
  });
  return { first, isNotOffered: () => isNotOffered };
}

/** Compares a missing flag with the snapshot's: one that was asked for before the first snapshot when that comes. */
function missingFlags(opened: () => SnapshotSource | undefined, { listen }: Pick<Diagnostics, 'listen'>) {
  const early = new Set<string>();
  const add = (flag: string): void => {
    if (opened()?.watch.snapshot() !== undefined) opened()?.missing(flag);
    else if (early.size < MOST_REMEMBERED) early.add(flag);
  };
  listen('snapshot-polled', () => {
    const flags = [...early];
    early.clear();
    flags.forEach(add);
  });
  return add;
}
