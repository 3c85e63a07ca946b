import type { Reporter } from '../../model/events/reporter.js';
import type { WatchCondition } from '../../model/events/flipt-event.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { type Clock, oneTimer } from '../../base/time/clock.js';
import { knownOf, type Fetched, type Known } from '../fetch-snapshot.js';
import { hasFlags } from '../snapshot.js';
import { lateBecause, seenWithinMs } from './poll-schedule.js';
import { snapshotInForce } from './snapshot-in-force.js';
import type { Reliability, StartingSnapshot, Watch, WatchSettings } from './watch.js';
import { answered, conditionOf, judged, reliableUntil, UNTRIED, type WatchState } from './watch-state.js';

/** What a watch needs to know of the snapshot in force, and does with it. */
export interface WatchedSnapshot extends Reliability, Pick<Watch, 'snapshot' | 'assess' | 'close'> {
  /** What the past polls mean for the next one. */
  readonly state: () => WatchState;
  /** The snapshot in force, and what is known about it; `undefined` before the first. */
  readonly known: () => Known | undefined;
  /**
   * A request begins. If the last success is too old already, as after a blocked event loop, its response decides, not
   * the timer.
   */
  readonly asks: () => void;
  /** Takes over what came for a request. `hasEtag` as in {@link answered}. Ends without effect once it is closed. */
  readonly take: (fetched: Fetched, hasEtag: boolean, durationMs: number) => Promise<void>;
  /**
   * Takes a kept snapshot that was loaded late, unless it is not needed any more. Resolves with whether the service has
   * said meanwhile that there are no flags: with this snapshot, that means that it has lost them. Never rejects.
   */
  readonly adopt: (late: StartingSnapshot | undefined) => Promise<boolean>;
  readonly isClosed: () => boolean;
}

/**
 * The snapshot in force, and how reliable it is. Reports what changes of both, each once. `isOfCallers`: nothing may run
 * between calls, so that a call looks at all flags of what it has fetched.
 */
export function watchedSnapshot(
  settings: Omit<WatchSettings, 'fetch' | 'patienceMs'>,
  runtime: Runtime,
  isOfCallers = false,
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
  /** The last poll failed because the service does not know the namespace. */
  let isUnknown = false;
  let isClosed = false;
  const lossTimer = oneTimer(clock);
  const reportState = watchReports(pollMs, isShared, report);
  const inForce = snapshotInForce(runtime, isCompared, () => isClosed);
  const finishAfterPoll = () => {
    // The first poll may bring another snapshot.
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
      const now = clock.now();
      state = judged(answered(state, fetched, hasEtag, now), pollMs, now);
      lastFailure = fetched.kind === 'failed' ? fetched.failure : undefined;
      isUnknown = fetched.kind === 'failed' && fetched.isUnknown;
      if (isUnknown) report({ type: 'namespace-suspect', failure: lastFailure });
      if (served !== undefined) {
        // Before the reports, because a listener that reads the snapshot must find this one.
        inForce.replace(served, changed);
        confirmed?.(served);
      }
      const finished = inForce.finish(isOfCallers ? clock : undefined);
      reportState(state, lastFailure);
      if (fetched.kind !== 'no-news') report({ type: 'snapshot-polled', durationMs, failure: lastFailure });
      if (isOfCallers) await finished;
    },
    adopt: async (late) => {
      const isNeeded = () => {
        const known = inForce.known();
        return known === undefined ? !state.offersNone || isUnknown : !hasFlags(known.snapshot);
      };
      if (late === undefined) return false;
      if (!isNeeded()) inForce.compareKeys(late.snapshot);
      const changed = isNeeded() ? await inForce.prepare(late.snapshot) : undefined;
      if (isClosed || !isNeeded()) return false;
      const isLost = inForce.known() !== undefined || state.offersNone;
      inForce.replace(knownOf(late), changed);
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

function reliability(state: () => WatchState, pollMs: number, isShared: boolean, clock: Clock): Reliability {
  return {
    confirmedAt: () => state().lastSuccessAt,
    ageMs: (now = clock.now()) => now - (state().lastSuccessAt ?? -Infinity),
    lostForMs: (now = clock.now()) => now - reliableUntil(state(), pollMs),
    seenWithinMs: () => seenWithinMs(state(), pollMs, isShared),
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
