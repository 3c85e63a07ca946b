import { LARGEST_TIMER_MS, type Clock, type TimerKind } from './clock.js';

/** A timer that is set for one time at most. A time longer than a timer can take is cut: then `run` comes too early. */
export function oneTimer(clock: Pick<Clock, 'after' | 'now'>) {
  let cancel: (() => void) | undefined;
  let dueAt: number | undefined;
  const stop = () => {
    cancel?.();
    cancel = undefined;
    dueAt = undefined;
  };
  /** Instead of what it was set for. */
  const set = (ms: number, run: () => void, kind: TimerKind = 'background') => {
    stop();
    dueAt = clock.now() + ms;
    const ended = () => {
      cancel = undefined;
      dueAt = undefined;
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
    /** By the clock's `now`, also of a timer that never ends, because there is no background. */
    dueAt: () => dueAt,
  };
}
