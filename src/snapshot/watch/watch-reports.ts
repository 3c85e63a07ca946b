import type { Reporter } from '../../diagnostics/diagnostics.js';
import type { WatchCondition } from '../../diagnostics/flipt-event.js';
import type { Failure } from '../../model/failure.js';
import { lateBecause, seenWithinMs } from './poll-schedule.js';
import { conditionOf, type WatchState } from './watch-state.js';

/** Reports, once each, how the condition of a watch changes, and that changes are seen late or in time again. */
export function watchReports(
  { pollMs, isShared = false }: { readonly pollMs: number; readonly isShared?: boolean | undefined },
  report: Reporter['report'],
) {
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
