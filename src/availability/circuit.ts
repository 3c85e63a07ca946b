import { counted, emptyTally, sums, type Tally } from '../http/tally.js';

/** The states of a circuit breaker, and the pure transitions between them. Times are a clock's milliseconds. */
export type BreakerState =
  | { readonly mode: 'closed'; readonly consecutive: number; readonly tally: Tally }
  | { readonly mode: 'open'; readonly probeAt: number; readonly openForMs: number }
  | { readonly mode: 'probing'; readonly openForMs: number };

export interface BreakerSettings {
  readonly failures: number;
  readonly openForMs: number;
  readonly maxOpenForMs: number;
}

/** Besides consecutive failures: half of at least so many requests within ten seconds. */
const ENOUGH_REQUESTS = 20;
const FAILED_SHARE = 0.5;

export const closedBreaker: BreakerState = { mode: 'closed', consecutive: 0, tally: emptyTally };

/** Whether a request may go out now: as any other, as the one probe, or not at all. */
export function admission(state: BreakerState, now: number): 'pass' | 'probe' | 'refuse' {
  if (state.mode === 'closed') return 'pass';
  return state.mode === 'open' && now >= state.probeAt ? 'probe' : 'refuse';
}

export function probing(state: BreakerState): BreakerState {
  return state.mode === 'open' ? { mode: 'probing', openForMs: state.openForMs } : state;
}

/** A request that was let pass has ended. What was under way when the breaker opened changes nothing any more. */
export function passed(
  state: BreakerState,
  failed: boolean,
  now: number,
  settings: BreakerSettings,
): BreakerState {
  if (state.mode !== 'closed') return state;
  const consecutive = failed ? state.consecutive + 1 : 0;
  const tally = counted(state.tally, now, failed);
  const { all, marked } = sums(tally, now);
  const tooMany = all >= ENOUGH_REQUESTS && marked >= all * FAILED_SHARE;
  return failed && (consecutive >= settings.failures || tooMany)
    ? { mode: 'open', probeAt: now + settings.openForMs, openForMs: settings.openForMs }
    : { mode: 'closed', consecutive, tally };
}

/** The probe has ended. */
export function probed(
  state: BreakerState,
  failed: boolean,
  now: number,
  settings: BreakerSettings,
): BreakerState {
  if (state.mode !== 'probing') return state;
  if (!failed) return closedBreaker;
  const openForMs = Math.min(state.openForMs * 2, Math.max(settings.maxOpenForMs, settings.openForMs));
  return { mode: 'open', probeAt: now + openForMs, openForMs };
}
