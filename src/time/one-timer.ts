import { LARGEST_TIMER_MS, type Clock, type TimerKind } from './clock.js';

/** A timer that is set for one time at most. A time longer than a timer can take is cut: then `run` comes too early. */
export function oneTimer(clock: Pick<Clock, 'after' | 'now'>) {
  let timer: { readonly dueAt: number; readonly cancel: () => void } | undefined;
  const stop = () => {
    timer?.cancel();
    timer = undefined;
  };
  /** Instead of what it was set for. */
  const set = (ms: number, run: () => void, kind: TimerKind = 'background') => {
    stop();
    const ended = () => {
      timer = undefined;
      run();
    };
    const cancel = clock.after(Math.min(ms, LARGEST_TIMER_MS), ended, kind);
    timer = { dueAt: clock.now() + ms, cancel };
  };
  return {
    set,
    /** Sets it unless it is set. */
    ensure: (ms: number, run: () => void) => {
      if (timer === undefined) set(ms, run);
    },
    stop,
    /** By the clock's `now`, also of a timer that never ends, because there is no background. */
    dueAt: () => timer?.dueAt,
  };
}
