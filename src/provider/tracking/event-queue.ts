import type { TrackingEvent } from '../../options/tracking-options.js';
import type { Runtime } from '../../model/runtime.js';

/** Most events that wait, with those that are being sent. */
export const MOST_EVENTS = 1_000;
/** Most characters of their JSON. */
export const MOST_LENGTH = 1024 * 1024;
/** Most characters of one event. */
export const MOST_LENGTH_OF_EVENT = 64 * 1024;

/** A call that sends events, since a time of the clock. */
interface SendingCall {
  readonly since: number;
}

interface QueuedEvent {
  readonly kind: TrackingEvent['kind'];
  /** A receiver may change what it gets, and then fail. */
  readonly json: string;
  /** What sends it; `undefined` while it waits. */
  call?: SendingCall | undefined;
}

/**
 * Events that wait to be sent, in order, and what becomes of them: sent or lost, which it reports. If there are too
 * many, the oldest exposures go first, then the oldest others. Those that are being sent stay, in their place.
 */
export function eventQueue(warn: (message: string) => void, { report }: Pick<Runtime, 'report'>) {
  let events: QueuedEvent[] = [];
  let length = 0;
  let hasLost = false;
  const lost = (count: number, why: string) => {
    // One line for all that are lost until events are sent again.
    if (!hasLost) warn(`tracking: events are lost, because ${why}`);
    hasLost = true;
    report({ type: 'tracking-lost', events: count });
  };
  const isWaiting = ({ call }: QueuedEvent) => call === undefined;
  const waiting = () => events.filter(isWaiting);
  const keep = (isKept: (event: QueuedEvent) => boolean) => {
    events = events.filter(isKept);
    length = events.reduce((sum, { json }) => sum + json.length, 0);
  };
  return {
    add(kind: TrackingEvent['kind'], json: string) {
      events.push({ kind, json });
      length += json.length;
      while (events.length > MOST_EVENTS || length > MOST_LENGTH) {
        const exposure = events.findIndex((event) => event.kind === 'exposure' && isWaiting(event));
        const oldest = exposure < 0 ? events.findIndex(isWaiting) : exposure;
        const [dropped] = oldest < 0 ? [] : events.splice(oldest, 1);
        if (dropped === undefined) return;
        length -= dropped.json.length;
        lost(1, 'too many wait to be sent');
      }
    },
    /** The oldest events, which now count as being sent. `sent` or `putBack` follows. */
    take(most: number, since: number) {
      const call: SendingCall = { since };
      const taken = waiting().slice(0, most);
      for (const event of taken) event.call = call;
      return { call, texts: taken.map(({ json }) => json) };
    },
    /** The call has sent its events, unless they wait again already. */
    sent(done: SendingCall) {
      const before = events.length;
      keep(({ call }) => call !== done);
      if (events.length === before) return;
      hasLost = false;
      report({ type: 'tracking-sent', events: before - events.length });
    },
    /** The events of these calls wait again. */
    putBack(isOver: (call: SendingCall) => boolean) {
      for (const event of events) if (event.call !== undefined && isOver(event.call)) event.call = undefined;
    },
    /** Events are lost for this reason, which were not added. */
    lost,
    /** All events are lost, also those that are being sent. */
    clear(why: string) {
      const count = events.length;
      keep(() => false);
      if (count > 0) lost(count, why);
    },
    /** How many wait or are being sent. */
    size: () => events.length,
    /** How many wait. */
    waiting: () => waiting().length,
  };
}
