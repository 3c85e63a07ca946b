import { oneTimer, type Clock } from './clock.js';
import { orLate } from './in-time.js';

export type LoopTime = ReturnType<typeof loopTime>;

const TICK_MS = 50;
/** A tick that is late by no more than this is usual on a busy machine. */
const TOLERATED_MS = 100;

/** Time that stands still while the app blocks its event loop: what could not be sent or read meanwhile is not late. */
export function loopTime(clock: Clock) {
  const ticks = oneTimer(clock);
  let holders = 0;
  let tickAt = Infinity;
  let blockedMs = 0;

  // The end of a turn can come before the tick that is overdue, so `now` counts a block that has just ended.
  const overdueMs = () => Math.max(0, clock.now() - tickAt - TOLERATED_MS);
  const now = () => clock.now() - blockedMs - overdueMs();
  const tick = () => {
    blockedMs += overdueMs();
    tickAt = clock.now() + TICK_MS;
    ticks.set(TICK_MS, tick);
  };
  /** Blocks are noticed only while somebody holds the time. Call the result once to let go. */
  const hold = () => {
    if (holders++ === 0) tick();
    return () => {
      if (--holders > 0) return;
      blockedMs += overdueMs();
      tickAt = Infinity;
      ticks.stop();
    };
  };

  return {
    now,
    hold,
    /** Settles as `coming` does, or resolves with `'late'` at the time `until`. */
    orLate<T>(coming: PromiseLike<T>, until: number): Promise<T | 'late'> {
      const release = hold();
      return orLate(coming, until - now(), { ...clock, now }).finally(release);
    },
  };
}
