import type { Reporter } from '../../diagnostics/diagnostics.js';
import type { WatchCondition } from '../../diagnostics/flipt-event.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../runtime.js';
import { type Clock, oneTimer } from '../../time/clock.js';
import { knownOf, type Fetched, type Known } from '../fetch-snapshot.js';
import { hasFlags, type Snapshot } from '../snapshot.js';
import { lateBecause, seenWithinMs } from './poll-schedule.js';
import { snapshotInForce } from './snapshot-in-force.js';
import { answered, conditionOf, judged, reliableUntil, UNTRIED, type WatchState } from './watch-state.js';

/** A snapshot to start from. */
export interface StartingSnapshot extends Known {
  /** In the clock's milliseconds; `undefined` if the service has never confirmed it. */
  readonly confirmedAt: number | undefined;
}

export interface WatchedSettings {
  /** Infinite if the service is never asked. */
  readonly pollMs: number;
  /** Whether one instance polls the service for many. Then a poll usually reads only the store. Default: no. */
  readonly isShared?: boolean | undefined;
  /** In force until the service serves a snapshot. Default: none. */
  readonly starting?: StartingSnapshot | undefined;
  /** Whether somebody has to learn which flags have changed. Default: yes. */
  readonly isCompared?: (() => boolean) | undefined;
  /** Called when the service has just served the snapshot in force, or said that it is unchanged. */
  readonly confirmed?: ((known: Known) => void) | undefined;
}

/** The snapshot in force, and how reliable it is. Reports what changes of both, each once. */
export function watchedSnapshot(settings: WatchedSettings, runtime: Runtime) {
  const { pollMs, isShared = false, starting, isCompared = () => true, confirmed } = settings;
  const { clock, report } = runtime;
  const isAsked = pollMs < Infinity;
  let state: WatchState = {
    ...UNTRIED,
    lastSuccessAt: starting?.confirmedAt,
    notBefore: isAsked ? UNTRIED.notBefore : Infinity,
  };
  let lastFailure: Failure | undefined;
  /** The last poll failed because the service does not know the namespace. */
  let isUnknown = false;
  let isClosed = false;
  const lossTimer = oneTimer(clock);
  const reportState = watchReports(pollMs, isShared, report);
  const inForce = snapshotInForce(runtime, isCompared, () => isClosed);
  const finishAfterPoll = () => {
    // The first poll may bring another snapshot.
    if (!isAsked || state.hasServed || state.hasFailed) inForce.finish();
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
    /** `undefined` before the first. */
    snapshot: (): Snapshot | undefined => inForce.known()?.snapshot,
    /** The same, once all of its flags have been read; `undefined` if it was replaced before. Never rejects. */
    whole: inForce.whole,
    ...reliability(() => state, pollMs, isShared, clock),
    /** Reports that the last success has become too old, if it has. Otherwise a timer does that. */
    assess,
    /**
     * A request begins. If the last success is too old already, as after a blocked event loop, its response decides,
     * not the timer.
     */
    asks: () => {
      if (clock.now() < reliableUntil(state, pollMs)) assess();
      else lossTimer.stop();
    },
    /** Takes over what came for a request. `hasEtag` as in {@link answered}. Ends without effect once it is closed. */
    take: async (fetched: Fetched, hasEtag: boolean, durationMs: number) => {
      const served = 'snapshot' in fetched ? knownOf(fetched) : undefined;
      const isComparable = served !== undefined && (await inForce.prepare(served.snapshot));
      if (isClosed || fetched.kind === 'overtaken') return;
      const now = clock.now();
      state = judged(answered(state, fetched, hasEtag, now), pollMs, now);
      lastFailure = fetched.kind === 'failed' ? fetched.failure : undefined;
      isUnknown = fetched.kind === 'failed' && fetched.isUnknown;
      if (isUnknown) report({ type: 'namespace-suspect', failure: lastFailure });
      if (served !== undefined) {
        // Before the reports, because a listener that reads the snapshot must find this one.
        inForce.replace(served, isComparable);
        confirmed?.(served);
      }
      inForce.finish();
      reportState(state, lastFailure);
      if (fetched.kind !== 'no-news') report({ type: 'snapshot-polled', durationMs, failure: lastFailure });
    },
    /**
     * Takes a kept snapshot that was loaded late, unless it is not needed any more. Resolves with whether the service has
     * said meanwhile that there are no flags: with this snapshot, that means that it has lost them. Never rejects.
     */
    adopt: async (late: StartingSnapshot | undefined): Promise<boolean> => {
      const isNeeded = () => {
        const known = inForce.known();
        return known === undefined ? !state.offersNone || isUnknown : !hasFlags(known.snapshot);
      };
      if (late === undefined) return false;
      if (!isNeeded()) inForce.compareKeys(late.snapshot);
      const isComparable = isNeeded() && (await inForce.prepare(late.snapshot));
      if (isClosed || !isNeeded()) return false;
      const isLost = inForce.known() !== undefined || state.offersNone;
      inForce.replace(knownOf(late), isComparable);
      finishAfterPoll();
      state = { ...state, offersNone: false, refusals: 0, lastSuccessAt: late.confirmedAt };
      // The kept snapshot's age alone is no loss.
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

/** How far the snapshot in force can be relied on. */
function reliability(state: () => WatchState, pollMs: number, isShared: boolean, clock: Clock) {
  return {
    /** When the service last confirmed the snapshot, in the clock's milliseconds; `undefined` if it never has. */
    confirmedAt: () => state().lastSuccessAt,
    /** Milliseconds since then; infinite if it never has. */
    ageMs: (now = clock.now()) => now - (state().lastSuccessAt ?? -Infinity),
    /** For how many milliseconds a change might have gone unnoticed; negative while a change would be noticed. */
    lostForMs: (now = clock.now()) => now - reliableUntil(state(), pollMs),
    /** Milliseconds within which each instance sees a change; infinite if the service is never asked. */
    seenWithinMs: () => seenWithinMs(state(), pollMs, isShared),
    /** Why that is much longer than `pollMs`; `undefined` if it is not. */
    lateBecause: () => lateBecause(state(), pollMs, isShared),
  };
}

/** Reports, once each, how the condition of a watch changes, and that changes are seen late or in time again. */
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
