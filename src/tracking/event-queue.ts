import type { TrackingEvent } from '../options/tracking-options.js';

/** Most events that wait, with those that are being sent. */
export const MOST_EVENTS = 1_000;
/** Most characters of their JSON. */
export const MOST_LENGTH = 1024 * 1024;
/** Most characters of one event. */
export const MOST_LENGTH_OF_EVENT = 64 * 1024;

/** An event that waits, as JSON: a receiver may change what it gets, and then fail. */
export interface WaitingEvent {
  readonly kind: TrackingEvent['kind'];
  readonly json: string;
}

/** `place`: events that come back go before those that came later. */
interface PlacedEvent extends WaitingEvent {
  readonly place: number;
}

/** Events that are being sent, since a time of the clock. */
export interface TakenEvents {
  readonly items: readonly PlacedEvent[];
  readonly at: number;
}

/**
 * Events that wait to be sent, in order. If there are too many, the oldest exposures go first, then the oldest others,
 * and `lost` is called. Those that are being sent stay.
 */
export function eventQueue(lost: (events: number, why: string) => void) {
  let waiting: PlacedEvent[] = [];
  let added = 0;
  const taken = new Set<TakenEvents>();
  let length = 0;
  const takenCount = () => [...taken].reduce((sum, { items }) => sum + items.length, 0);

  const dropOne = () => {
    const at = Math.max(
      0,
      waiting.findIndex(({ kind }) => kind === 'exposure'),
    );
    const [dropped] = waiting.splice(at, 1);
    length -= dropped?.json.length ?? 0;
    lost(1, 'too many wait to be sent');
  };
  const size = () => waiting.length + takenCount();
  const putBack = (events: TakenEvents) => {
    if (!taken.delete(events)) return;
    waiting = [...events.items, ...waiting].sort((a, b) => a.place - b.place);
  };
  return {
    add(item: WaitingEvent) {
      waiting.push({ ...item, place: added++ });
      length += item.json.length;
      while (waiting.length > 0 && (size() > MOST_EVENTS || length > MOST_LENGTH)) dropOne();
    },
    /** The oldest events, which now count as being sent. `done` or `putBack` follows. */
    take(most: number, at: number): TakenEvents {
      const events = { items: waiting.slice(0, most), at };
      waiting = waiting.slice(most);
      taken.add(events);
      return events;
    },
    /** The taken events are sent. `false` if they wait again already. */
    done(events: TakenEvents): boolean {
      if (!taken.delete(events)) return false;
      for (const { json } of events.items) length -= json.length;
      return true;
    },
    /** The taken events wait again. */
    putBack,
    /** What was taken before this time waits again. */
    putBackSince(time: number) {
      for (const events of taken) if (events.at < time) putBack(events);
    },
    /** Forgets all events, also those that are being sent, and returns how many they were. */
    clear(): number {
      const count = size();
      [waiting, length] = [[], 0];
      taken.clear();
      return count;
    },
    /** How many wait or are being sent. */
    size,
    /** How many wait. */
    waiting: () => waiting.length,
  };
}
