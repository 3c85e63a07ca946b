import type { Clock } from './clock.js';

export function nextTurn(clock: Pick<Clock, 'endOfTurn'>): Promise<void> {
  return new Promise((resolve) => {
    clock.endOfTurn(resolve);
  });
}

const MS_PER_TURN = 2;

export type BusyClock = Pick<Clock, 'endOfTurn' | 'now'>;

/** Long work asks for a pause between two steps, and gets one about every 2 ms. */
export function sharingTurns(clock: BusyClock): () => Promise<void> | undefined {
  let since = clock.now();
  return () => {
    if (clock.now() - since < MS_PER_TURN) return undefined;
    return nextTurn(clock).then(() => {
      since = clock.now();
    });
  };
}

/** Takes a step for each item, and pauses in between, until a step returns `false`. */
export async function inTurns<Item>(
  items: Iterable<Item>,
  clock: BusyClock,
  step: (item: Item) => unknown,
): Promise<void> {
  const pause = sharingTurns(clock);
  for (const item of items) {
    if (step(item) === false) return;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
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
