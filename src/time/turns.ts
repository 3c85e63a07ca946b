import type { Clock } from './clock.js';

/** Resolves in the next turn of the event loop. */
export function nextTurn(clock: Pick<Clock, 'endOfTurn'>): Promise<void> {
  return new Promise((resolve) => {
    clock.endOfTurn(resolve);
  });
}

/** Counts work, in any unit. After each `most` units it waits for the next turn of the event loop. */
export function pausing(most: number, clock: Pick<Clock, 'endOfTurn'>) {
  let done = 0;
  return (work = 1): Promise<void> | undefined => {
    done += work;
    if (done < most) return undefined;
    done = 0;
    return nextTurn(clock);
  };
}
