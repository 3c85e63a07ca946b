import type { Clock } from './clock.js';

/** Work that can take long, divided into short steps. Other work can run between any two steps. */
export type Steps<Result> = Generator<undefined, Result>;

/**
 * Does the steps. After each step, the function calls `pause`, and waits if `pause` returns a promise. If `pause` never
 * returns a promise, which is so for small work, the result is returned synchronously.
 */
export function withPauses<Result>(
  steps: Steps<Result>,
  pause: () => Promise<void> | undefined,
): Result | Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const turn = pause();
    if (turn !== undefined) return turn.then(() => withPauses(steps, pause));
  }
}

/** The part of the clock that is needed for work with pauses. */
export type Turns = Pick<Clock, 'endOfTurn'>;

/** Resolves in the next turn of the event loop. */
export function nextTurn(clock: Turns): Promise<void> {
  return new Promise((resolve) => {
    clock.endOfTurn(resolve);
  });
}

/**
 * After this many milliseconds, work pauses until the next turn of the event loop, so that other requests are handled.
 */
const MS_PER_TURN = 2;

/**
 * Makes a function that counts work in any unit, of which about `perMs` take a millisecond. When about 2 ms of work
 * have been counted since the last pause, the made function returns a promise that resolves in the next turn of the
 * event loop.
 */
export function pausing(perMs: number, clock: Turns) {
  let done = 0;
  return (work = 1): Promise<void> | undefined => {
    done += work;
    if (done < MS_PER_TURN * perMs) return undefined;
    done = 0;
    return nextTurn(clock);
  };
}

/** The part of the clock that is needed for work whose duration nobody knows beforehand. */
export type BusyClock = Pick<Clock, 'endOfTurn' | 'now'>;

/**
 * Makes a function that pauses work whose duration nobody knows beforehand. When at least 2 ms have passed since the
 * last pause, the made function returns a promise that resolves in the next turn of the event loop.
 */
export function sharingTurns(clock: BusyClock): () => Promise<void> | undefined {
  let since = clock.now();
  return () => {
    if (clock.now() - since < MS_PER_TURN) return undefined;
    return nextTurn(clock).then(() => {
      since = clock.now();
    });
  };
}

/** Makes a clock for work that must not keep the process alive. The new clock has the same time as `clock`. */
export function inBackground(clock: BusyClock): BusyClock {
  return {
    now: () => clock.now(),
    endOfTurn: (run) => {
      clock.endOfTurn(run, 'background');
    },
  };
}
