import type { Clock } from './clock.js';

/** Other work can run between two steps. */
export type Steps<Result> = Generator<undefined, Result>;

/** Synchronous if `pause` never gives a promise, as for small work. */
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

export type Turns = Pick<Clock, 'endOfTurn'>;

export function nextTurn(clock: Turns): Promise<void> {
  return new Promise((resolve) => {
    clock.endOfTurn(resolve);
  });
}

const MS_PER_TURN = 2;

/** Counts work of which about `perMs` units take a millisecond, and pauses after about 2 ms of it. */
export function pausing(perMs: number, clock: Turns) {
  let done = 0;
  return (work = 1): Promise<void> | undefined => {
    done += work;
    if (done < MS_PER_TURN * perMs) return undefined;
    done = 0;
    return nextTurn(clock);
  };
}

export type BusyClock = Pick<Clock, 'endOfTurn' | 'now'>;

/** For work whose duration nobody knows beforehand. */
export function sharingTurns(clock: BusyClock): () => Promise<void> | undefined {
  let since = clock.now();
  return () => {
    if (clock.now() - since < MS_PER_TURN) return undefined;
    return nextTurn(clock).then(() => {
      since = clock.now();
    });
  };
}

/** The work does not keep the process alive. */
export function inBackground(clock: BusyClock): BusyClock {
  return {
    now: () => clock.now(),
    endOfTurn: (run) => {
      clock.endOfTurn(run, 'background');
    },
  };
}
