import { outsideRequests } from '../time/background-work.js';
import type { Diagnostics } from '../diagnostics/diagnostics.js';
import type { Clock } from '../time/clock.js';
import { untilAborted } from '../time/in-time.js';
import type { Send } from '../http/reply.js';
import type { ProviderSettings } from '../options/settings.js';
import type { Runtime } from '../runtime.js';
import { openSnapshotSource, type SnapshotSource } from '../snapshot/snapshot-source.js';
import { warnOfSnapshots } from './start/snapshot-warnings.js';

export type ProviderSnapshots = ReturnType<typeof providerSnapshots>;

/** `none`: the service offers no snapshots, or the provider is closed. Asking again soon would not help. */
type FirstPoll = 'succeeded' | 'failed' | 'none';

/** Missing flags that are remembered until there is a snapshot to compare them with. */
const MOST_REMEMBERED = 20;
/** A call that takes longer has probably been ended by its runtime: Cloudflare's allows 30 s after a response. */
const LONGEST_REFRESH_MS = 30_000;

/**
 * The snapshots of one life of a provider. They are opened when it starts: before, nothing is sent or read. `isStarting`:
 * nobody has been told that the provider is ready.
 */
export function providerSnapshots(
  send: Send,
  settings: ProviderSettings,
  runtime: Runtime & Pick<Diagnostics, 'listen'>,
  isStarting: () => boolean,
) {
  const { logger } = settings;
  const { clock } = runtime;
  let opened: SnapshotSource | undefined;
  let warnIfOld: (() => void) | undefined;
  let trouble: string | undefined;
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
  const open = async () => {
    if (isClosed()) return;
    trouble = undefined;
    // Without a background, a call may be ended while it loads, and another loads again.
    const opening = openSnapshotSource(send, settings, life, runtime);
    warnIfOld ??= warnOfSnapshots(opening, ageMs, settings, runtime);
    opened = await opening;
    // No poll could replace it.
    if (settings.watch === undefined) warnIfOld();
    if (isClosed()) await opened.close();
  };
  let opening: Promise<unknown> | undefined;
  const current = () => opened;
  const callers = clock.hasBackground ? undefined : byCallers(current, open, clock);

  return {
    /** The service's snapshot, or until there is one, the kept or initial one; `undefined` until the start. */
    opened: current,
    /** The snapshot itself; `undefined` while there is none. */
    snapshot,
    /** A flag that does not exist was asked for: reports the key that was probably meant, once there is a snapshot. */
    missing: missingFlags(current, runtime),
    /**
     * Loads the kept snapshot, then begins to poll. Resolves when the kept one is loaded, or at the close, because a
     * store that hangs must not delay that. Never rejects.
     */
    start() {
      // Without a watch, nothing else brings the snapshot of a store that could not be asked at the first start.
      if (settings.watch === undefined && opened !== undefined && snapshot() === undefined)
        opening = undefined;
      return (opening ??= untilAborted(open(), closing.signal, undefined));
    },
    /** How the first poll ended. Never rejects; ends at the latest with the close. */
    firstPoll: polls.first,
    /** Polls first if there is no snapshot yet. Never rejects. */
    async withSnapshot() {
      await opening;
      if (snapshot() === undefined) await outsideRequests(() => callers?.refresh() ?? opened?.watch.poll());
    },
    /**
     * Polls if that is due and no poll is under way. Without a background, it also loads the kept snapshot first. Never
     * rejects.
     */
    refresh: async () => opened?.refresh(),
    /** What a call has to do because no timer does it. */
    beforeCall: undefined,
    /** Whether the service seems to offer no snapshots. One in force then comes from the options or an earlier run. */
    isNotOffered: polls.isNotOffered,
    /** Why a snapshot from the options is not used; `undefined` if nothing went wrong. */
    trouble: () => trouble,
    /** Completes pending saves. */
    async close() {
      closing.abort();
      await opened?.close();
    },
    ...callers,
  };
}

/**
 * Without a background, callers load the kept snapshot and poll. `refresh` does nothing while another call does it. That call may
 * also have been ended, and then it never says so.
 */
function byCallers(opened: () => SnapshotSource | undefined, open: () => Promise<void>, clock: Clock) {
  let runningUntil = -Infinity;
  return {
    // None goes on, so nobody waits for it.
    firstPoll: Promise.resolve('none' as const),
    beforeCall: () => opened()?.watch.assess(),
    async refresh() {
      if (clock.now() < runningUntil) return;
      const until = clock.now() + LONGEST_REFRESH_MS;
      runningUntil = until;
      if (opened() === undefined) await open();
      await opened()?.refresh();
      if (runningUntil === until) runningUntil = -Infinity;
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
