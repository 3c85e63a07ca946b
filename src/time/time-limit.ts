import type { Clock } from './clock.js';

/** The time passes in slices, because a block at its beginning would not make a single timer late. */
const SLICE_MS = 100;
/** A timer that is so late shows that the event loop was blocked. */
const BLOCKED_MS = 100;

/**
 * Calls `late` after `ms`, unless the result, which may only wait to be read, arrives by the end of that turn. It says
 * whether the event loop was blocked in that time: then the other side may have been in time. `leftMs` may give the
 * limit more time. The timers keep the process alive unless they are marked. Returns a function that cancels it.
 */
export function timeLimit(
  ms: number,
  clock: Clock,
  late: (isBlocked: boolean) => void,
  { leftMs = () => 0, background }: { leftMs?: () => number; background?: 'background' | undefined } = {},
): () => void {
  let hasEnded = false;
  let blockedMs = 0;
  let cancelTimer: () => void = () => undefined;
  let until = clock.now() + ms;

  const wait = () => {
    const due = Math.min(until, clock.now() + SLICE_MS);
    const run = () => {
      blockedMs = Math.max(blockedMs, clock.now() - due);
      if (clock.now() < until) wait();
      // After a block, the response may already wait in the socket.
      else clock.endOfTurn(end);
    };
    cancelTimer = clock.after(due - clock.now(), run, background);
  };
  const end = () => {
    if (hasEnded) return;
    const left = leftMs();
    if (left <= 0) {
      late(blockedMs > BLOCKED_MS);
      return;
    }
    until = clock.now() + left;
    wait();
  };
  wait();
  return () => {
    hasEnded = true;
    cancelTimer();
  };
}
