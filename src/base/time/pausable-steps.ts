import type { Clock } from './clock.js';

/** Work that can take long, divided into steps of microseconds. Other work can run between any two steps. */
export type Steps<Result> = Generator<undefined, Result>;

/**
 * Does the steps, and waits after each one until the promise of `pause` resolves. If `pause` never returns a promise,
 * the result is returned synchronously, as for most work, which is small.
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

/** Maps a list, each item in one step. */
export function* mapInSteps<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item, at: number) => Result,
): Steps<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item, results.length));
    yield;
  }
  return results;
}

/** The part of the clock that is needed for work with pauses. */
export type Turns = Pick<Clock, 'endOfTurn'>;

/** Resolves in the next turn of the event loop. */
export function nextTurn(clock: Turns): Promise<void> {
  return new Promise((resolve) => {
    clock.endOfTurn(resolve);
  });
}

/** At most this many milliseconds of work are done before other requests get their turn of the event loop. */
const MS_PER_TURN = 2;

/**
 * Makes a function that counts work in any unit; `perMs` of these units take about a millisecond. When one turn of the
 * event loop has done enough work, the function returns a promise for the next turn.
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

/** The part of the clock that is needed for work whose duration nobody knows. */
export type BusyClock = Pick<Clock, 'endOfTurn' | 'now'>;

/**
 * Makes a function that pauses work whose duration nobody knows. Once one turn of the event loop has been busy for 2
 * ms, the function returns a promise for the next turn.
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

/** Makes a clock with the same times for work that does not keep the process alive. */
export function inBackground(clock: BusyClock): BusyClock {
  return {
    now: () => clock.now(),
    endOfTurn: (run) => {
      clock.endOfTurn(run, 'background');
    },
  };
}
