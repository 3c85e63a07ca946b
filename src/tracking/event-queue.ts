import type { TrackingEvent } from '../options/tracking-options.js';

/** Most events that wait, with those that are being sent. */
export const MOST_EVENTS = 1_000;
/** Most characters of their JSON. */
export const MOST_LENGTH = 1024 * 1024;
/** Most characters of one event. */
export const MOST_LENGTH_OF_EVENT = 64 * 1024;

/** An event that waits, and the length of its JSON. */
export interface WaitingEvent {
  readonly event: TrackingEvent;
  readonly length: number;
}

/**
 * Events that wait to be sent, in order. If there are too many, the oldest exposures go first, then the oldest others,
 * and `lost` is called. Those that are being sent stay.
 */
export function eventQueue(lost: (events: number, why: string) => void) {
  let waiting: WaitingEvent[] = [];
  /** Events that are being sent. */
  let taken = 0;
  let length = 0;

  const dropOne = () => {
    const at = Math.max(
      0,
      waiting.findIndex(({ event }) => event.kind === 'exposure'),
    );
    const [dropped] = waiting.splice(at, 1);
    length -= dropped?.length ?? 0;
    lost(1, 'too many wait to be sent');
  };
  return {
    add(item: WaitingEvent) {
      waiting.push(item);
      length += item.length;
      while (waiting.length > 0 && (waiting.length + taken > MOST_EVENTS || length > MOST_LENGTH)) dropOne();
    },
    /** The oldest events, which now count as being sent. `done` or `putBack` follows. */
    take(most: number): readonly WaitingEvent[] {
      const items = waiting.slice(0, most);
      waiting = waiting.slice(most);
      taken += items.length;
      return items;
    },
    /** The taken events are sent. */
    done(items: readonly WaitingEvent[]) {
      taken -= items.length;
      for (const item of items) length -= item.length;
    },
    /** The taken events wait again. */
    putBack(items: readonly WaitingEvent[]) {
      taken -= items.length;
      waiting = [...items, ...waiting];
    },
    /** Forgets all events, also those that are being sent, and returns how many they were. */
    clear(): number {
      const count = waiting.length + taken;
      [waiting, taken, length] = [[], 0, 0];
      return count;
    },
    /** How many wait or are being sent. */
    size: () => waiting.length + taken,
    /** How many wait. */
    waiting: () => waiting.length,
  };
}
