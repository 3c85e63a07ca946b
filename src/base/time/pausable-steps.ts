import type { Clock } from './clock.js';

/** Work that may take long, in steps of microseconds: others may run between any two of them. */
export type Steps<Result> = Generator<undefined, Result>;

/** Such work of which each step yields what it took, in any unit. */
export type CountedSteps<Result = void> = Generator<number, Result>;

/** Counts steps that take the same. */
export function* counted<Result>(steps: Steps<Result>, each: number): CountedSteps<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield each;
  }
}

/** Does all steps now. */
export function atOnce<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Does the steps, and waits after each one for as long as `pause` says, which gets what the step yields. Without a
 * pause, the result is there at once: most work is small.
 */
export function withPauses<Result, Step = undefined>(
  steps: Generator<Step, Result>,
  pause: (step: Step) => Promise<void> | undefined,
): Result | Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const turn = pause(value);
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

/** Maps a list, each item in steps of its own. */
export function* stepsOfEach<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item, at: number) => Steps<Result>,
): Steps<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(yield* map(item, results.length));
    yield;
  }
  return results;
}

/** The part of the clock that work with pauses needs. */
export type Turns = Pick<Clock, 'endOfTurn'>;

/** Resolves in the next turn of the event loop. */
export function nextTurn(clock: Turns): Promise<void> {
  return new Promise((resolve) => {
    clock.endOfTurn(resolve);
  });
}

/** So many milliseconds of work are done before the requests of others get their turn of the event loop. */
const MS_PER_TURN = 2;

/** Counts work in any unit, of which `perMs` take about a millisecond. Waits for the next turn when one has enough. */
export function pausing(perMs: number, clock: Turns) {
  let done = 0;
  return (work = 1): Promise<void> | undefined => {
    done += work;
    if (done < MS_PER_TURN * perMs) return undefined;
    done = 0;
    return nextTurn(clock);
  };
}

/** The same clock for work that does not keep the process alive. */
export function inBackground(clock: Turns): Turns {
  return {
    endOfTurn: (run) => {
      clock.endOfTurn(run, 'background');
    },
  };
}
