import type { Emptied } from '../../model/events/internal-events.js';
import type { Reporter } from '../../model/events/reporter.js';
import type { WatchCondition } from '../../model/events/flipt-event.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { type Clock, oneTimer } from '../../base/time/clock.js';
import { knownOf, type Fetched, type Known, type Served } from '../fetch-snapshot.js';
import { hasFlags, type Snapshot } from '../snapshot.js';
import { lateBecause, seenWithinMs } from './poll-schedule.js';
import { snapshotInForce } from './snapshot-in-force.js';
import type { Reliability, StartingSnapshot, Watch, WatchSettings } from './watch.js';
import { answered, conditionOf, judged, reliableUntil, UNTRIED, type WatchState } from './watch-state.js';

/** Holds the snapshot in force, while the watch decides when to poll. */
export interface WatchedSnapshot extends Reliability, Pick<Watch, 'snapshot' | 'assess' | 'close'> {
  /** Returns the state that follows from the past polls and decides about the next poll. */
  readonly state: () => WatchState;
  /** Returns the snapshot in force with its ETag, or `undefined` before the first snapshot. */
  readonly known: () => Known | undefined;
  /**
   * To be called when a request begins. If the last successful poll is too old when a request begins, for example
   * because the event loop was blocked, the response to that request decides whether the state of the watch is `lost`,
   * and not the timer.
   */
  readonly asks: () => void;
  /**
   * Takes over the result of a request. `hasEtag` says whether the next request can send the ETag of the known
   * snapshot. After `close`, the result of a request has no effect.
   */
  readonly take: (fetched: Fetched, hasEtag: boolean, durationMs: number) => Promise<void>;
  /**
   * To be called if the search for a starting snapshot has ended only after the watch was opened. `late` is the
   * snapshot that was found, if any. `adopt` puts `late` into force if the watch still needs it. The promise resolves
   * with `true` only if `late` came into force although the service has answered that it has no flags or does not know
   * the namespace or the environment, because the service may have lost its flags. The promise never rejects.
   */
  readonly adopt: (late: StartingSnapshot | undefined) => Promise<boolean>;
  readonly isClosed: () => boolean;
}

/**
 * Holds the snapshot in force, and finds out whether it is recent enough to be relied on. Each change of the snapshot,
 * and each change of the watch's state, is reported at most once.
 */
export function watchedSnapshot(
  settings: Omit<WatchSettings, 'fetch' | 'patienceMs'>,
  runtime: Runtime,
): WatchedSnapshot {
  const { pollMs, isShared = false, starting, isCompared = () => true, confirmed } = settings;
  const { clock, report } = runtime;
  const isAsked = pollMs < Infinity;
  let state: WatchState = {
    ...UNTRIED,
    lastSuccessAt: starting?.confirmedAt,
    notBefore: isAsked ? UNTRIED.notBefore : Infinity,
  };
  let lastFailure: Failure | undefined;
  /** Whether the last poll failed because the service does not know the namespace or the environment. */
  let isUnknown = false;
  let isClosed = false;
  const lossTimer = oneTimer(clock);
  const reportState = watchReports(pollMs, isShared, report);
  const inForce = snapshotInForce(runtime, isCompared, () => isClosed);
  const finishAfterPoll = () => {
    // The first poll may replace the starting snapshot, so the search for unreadable flags in the starting snapshot
    // begins only after the first poll.
    if (!isAsked || state.hasServed || state.hasFailed) void inForce.finish();
  };
  if (starting !== undefined) inForce.start(starting);
  finishAfterPoll();

  const assess = () => {
    lossTimer.stop();
    if (!isAsked || state.lastSuccessAt === undefined || state.isLost) return;
    const now = clock.now();
    const delayMs = reliableUntil(state, pollMs) - now;
    if (delayMs > 0) {
      lossTimer.set(delayMs, assess);
      return;
    }
    state = judged(state, pollMs, now);
    reportState(state, lastFailure);
  };

  return {
    state: () => state,
    known: inForce.known,
    snapshot: inForce.snapshot,
    ...reliability(() => state, pollMs, isShared, clock),
    assess,
    asks: () => {
      if (clock.now() < reliableUntil(state, pollMs)) assess();
      else lossTimer.stop();
    },
    take: async (fetched, hasEtag, durationMs) => {
      const served = 'snapshot' in fetched ? knownOf(fetched) : undefined;
      const changed = served && (await inForce.prepare(served.snapshot));
      if (isClosed || fetched.kind === 'overtaken') return;
      const emptied = 'snapshot' in fetched ? emptiedBy(fetched, inForce.snapshot()) : undefined;
      const now = clock.now();
      state = judged(answered(state, fetched, hasEtag, now), pollMs, now);
      lastFailure = fetched.kind === 'failed' ? fetched.failure : undefined;
      isUnknown = fetched.kind === 'failed' && fetched.isUnknown;
      if (isUnknown) report({ type: 'namespace-suspect', failure: lastFailure });
      if (served !== undefined) {
        // The snapshot is replaced before anything is reported, because a listener that reads the snapshot must find
        // the new snapshot.
        inForce.replace(served, changed, emptied);
        confirmed?.(served);
      }
      void inForce.finish();
      reportState(state, lastFailure);
      if (fetched.kind !== 'no-news')
        report({ type: 'snapshot-polled', durationMs, failure: lastFailure, emptied });
    },
    adopt: async (late) => {
      const isNeeded = () => {
        const known = inForce.known();
        return known === undefined || !hasFlags(known.snapshot);
      };
      if (late === undefined) return false;
      if (!isNeeded()) inForce.compareKeys(late.snapshot);
      const changed = isNeeded() ? await inForce.prepare(late.snapshot) : undefined;
      if (isClosed || !isNeeded()) return false;
      const isLost = inForce.known() !== undefined || isUnknown;
      inForce.replace(knownOf(late), changed);
      finishAfterPoll();
      // A service that does not know the namespace does offer snapshots, but has probably lost its flags.
      const offers = isUnknown ? { offersNone: false, refusals: 0 } : {};
      state = { ...state, ...offers, lastSuccessAt: late.confirmedAt };
      // `assess` is called here only if a poll has failed, because the age of a saved snapshot alone does not mean that
      // the state of the watch is `lost`.
      if (state.hasFailed) assess();
      return isLost;
    },
    isClosed: () => isClosed,
    close: () => {
      isClosed = true;
      lossTimer.stop();
    },
  };
}

/**
 * If this result takes the last flags away from a namespace, returns how many flags there were, and why the provider
 * believes that the flags are gone. Returns `undefined` if the namespace still has flags or had none before.
 */
function emptiedBy({ snapshot, isEmptyBecause }: Served, before: Snapshot | undefined): Emptied | undefined {
  if (before === undefined || !hasFlags(before) || hasFlags(snapshot)) return undefined;
  return { flags: before.flags.keys().size, because: isEmptyBecause };
}

function reliability(state: () => WatchState, pollMs: number, isShared: boolean, clock: Clock): Reliability {
  return {
    confirmedAt: () => state().lastSuccessAt,
    ageMs: (now = clock.now()) => now - (state().lastSuccessAt ?? -Infinity),
    lostForMs: (now = clock.now()) => now - reliableUntil(state(), pollMs),
    seenWithinMs: () => seenWithinMs(state(), pollMs, isShared),
    lateBecause: () => lateBecause(state(), pollMs, isShared),
  };
}

/**
 * Makes the function that reports each change of the watch's state once. The function also reports when the provider
 * begins to see changes late, and when it sees changes in time again.
 */
function watchReports(pollMs: number, isShared: boolean, report: Reporter['report']) {
  let condition: WatchCondition | undefined;
  let isLate = false;
  return (state: WatchState, failure: Failure | undefined) => {
    const next = conditionOf(state);
    if (next !== undefined && next !== condition) report({ type: 'watch-changed', state: next, failure });
    condition = next;
    const why = lateBecause(state, pollMs, isShared);
    if ((why !== undefined) === isLate) return;
    isLate = !isLate;
    report({ type: 'watch-slowed', seenWithinMs: seenWithinMs(state, pollMs, isShared), why });
  };
}
