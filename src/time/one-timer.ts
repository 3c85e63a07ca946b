import { LARGEST_TIMER_MS, type Clock, type TimerKind } from './clock.js';

/** A timer that is set for one time at most. A time longer than a timer can take is cut: then `run` comes too early. */
export function oneTimer(clock: Pick<Clock, 'after'>) {
  let cancel: (() => void) | undefined;
  const stop = () => {
    cancel?.();
    cancel = undefined;
  };
  /** Instead of what it was set for. */
  const set = (ms: number, run: () => void, kind: TimerKind = 'background') => {
    stop();
    const ended = () => {
      cancel = undefined;
      run();
    };
    cancel = clock.after(Math.min(ms, LARGEST_TIMER_MS), ended, kind);
  };
  return {
    set,
    /** Sets it unless it is set. */
    ensure: (ms: number, run: () => void) => {
      if (cancel === undefined) set(ms, run);
    },
    stop,
  };
}
