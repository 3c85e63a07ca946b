import type { Clock } from './clock.js';

/** Resolves in the next turn of the event loop. */
export function nextTurn(clock: Pick<Clock, 'endOfTurn'>): Promise<void> {
  return new Promise((resolve) => {
    clock.endOfTurn(resolve);
  });
}

/** So many milliseconds of work are done before the requests of others get their turn of the event loop. */
const MS_PER_TURN = 2;

/** Counts work in any unit, of which `perMs` take about a millisecond. Waits for the next turn when one has enough. */
export function pausing(perMs: number, clock: Pick<Clock, 'endOfTurn'>) {
  let done = 0;
  return (work = 1): Promise<void> | undefined => {
    done += work;
    if (done < MS_PER_TURN * perMs) return undefined;
    done = 0;
    return nextTurn(clock);
  };
}

/** The same clock for work that does not keep the process alive. */
export function inBackground(clock: Pick<Clock, 'endOfTurn'>): Pick<Clock, 'endOfTurn'> {
  return {
    endOfTurn: (run) => {
      clock.endOfTurn(run, 'background');
    },
  };
}
