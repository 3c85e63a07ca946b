import { oneTimer, type Clock } from './clock.js';

/** Time that stands still while the app blocks its event loop: what could not be sent or read meanwhile is not late. */
export interface LoopTime {
  now(): number;
  /** Blocks are noticed only while somebody holds the time. Call the result once to let go. */
  hold(): () => void;
  /** Settles as `coming` does, or resolves with `'late'` at the time `until`. */
  orLate<T>(coming: PromiseLike<T>, until: number): Promise<T | 'late'>;
}

const TICK_MS = 50;
/** A tick that is late by no more than this is usual on a busy machine. */
const TOLERATED_MS = 100;

export function loopTime(clock: Clock): LoopTime {
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
    orLate<T>(coming: PromiseLike<T>, until: number) {
      const release = hold();
      let cancel: () => void = () => undefined;
      const late = new Promise<'late'>((resolve) => {
        const wait = () => {
          // Node drops fractions of a millisecond, so that the timer would fire too early.
          cancel = clock.after(Math.ceil(Math.max(0, until - now())), () => {
            // An answer that lies in the socket is read before the turn ends.
            clock.endOfTurn(() => {
              if (now() < until) wait();
              else resolve('late');
            });
          });
        };
        wait();
      });
      return Promise.race([coming, late]).finally(() => {
        cancel();
        release();
      });
    },
  };
}
