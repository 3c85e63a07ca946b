import type { TrackingEvent } from '../../options/tracking-options.js';
import type { Runtime } from '../../model/runtime.js';

/** At most this many events wait, including those that are being sent. */
export const MOST_EVENTS = 1_000;
/** The JSON of all these events has at most this many characters. */
export const MOST_LENGTH = 1024 * 1024;
/** The JSON of one event has at most this many characters. */
export const MOST_LENGTH_OF_EVENT = 64 * 1024;

/** A call that has been sending events since a time of the clock. */
export interface SendingCall {
  readonly since: number;
}

interface QueuedEvent {
  readonly kind: TrackingEvent['kind'];
  /** The event as JSON, because a receiver could change what it gets and then fail. */
  readonly json: string;
  /** The call that sends the event, or `undefined` while the event waits. */
  call?: SendingCall | undefined;
}

/**
 * Holds the events that wait to be sent, in order, and reports whether they were sent or lost. If there are too many
 * events, the oldest exposures are dropped first, and then the oldest other events. Events that are being sent stay in
 * their place.
 */
export class EventQueue {
  private events: QueuedEvent[] = [];
  /** How many characters the JSON of all events has. */
  private length = 0;
  /** Whether a loss has been logged. One line stands for all events that are lost until events are sent again. */
  private hasWarned = false;

  constructor(
    private readonly warn: (message: string) => void,
    private readonly runtime: Pick<Runtime, 'report'>,
  ) {}

  /** Returns how many events wait or are being sent. */
  get size(): number {
    return this.events.length;
  }

  /** Returns how many events wait. */
  get waiting(): number {
    return this.events.filter(isWaiting).length;
  }

  add(kind: TrackingEvent['kind'], json: string): void {
    this.events.push({ kind, json });
    this.length += json.length;
    while (this.events.length > MOST_EVENTS || this.length > MOST_LENGTH) {
      const exposure = this.events.findIndex((event) => event.kind === 'exposure' && isWaiting(event));
      const oldest = exposure < 0 ? this.events.findIndex(isWaiting) : exposure;
      const [dropped] = oldest < 0 ? [] : this.events.splice(oldest, 1);
      if (dropped === undefined) return;
      this.length -= dropped.json.length;
      this.lost(1, 'too many events wait to be sent');
    }
  }

  /** Takes the oldest events, which count as being sent from now on. Call `sent` or `putBack` afterwards. */
  take(count: number, since: number): { readonly call: SendingCall; readonly texts: readonly string[] } {
    const call: SendingCall = { since };
    const taken = this.events.filter(isWaiting).slice(0, count);
    for (const event of taken) event.call = call;
    return { call, texts: taken.map(({ json }) => json) };
  }

  /** Call this function when a call has sent its events. Events that already wait again are not counted. */
  sent(done: SendingCall): void {
    const before = this.events.length;
    this.keep(({ call }) => call !== done);
    if (this.events.length === before) return;
    this.hasWarned = false;
    this.runtime.report({ type: 'tracking-sent', events: before - this.events.length });
  }

  /** Lets the events of these calls wait again. */
  putBack(isOver: (call: SendingCall) => boolean): void {
    for (const event of this.events)
      if (event.call !== undefined && isOver(event.call)) event.call = undefined;
  }

  /** Call this function when `count` events that were never in the queue are lost; `why` is the reason. */
  lost(count: number, why: string): void {
    if (!this.hasWarned) this.warn(`tracking: events are lost, because ${why}`);
    this.hasWarned = true;
    this.runtime.report({ type: 'tracking-lost', events: count });
  }

  /** Drops all events, including those that are being sent. */
  clear(why: string): void {
    const count = this.events.length;
    this.keep(() => false);
    if (count > 0) this.lost(count, why);
  }

  private keep(isKept: (event: QueuedEvent) => boolean): void {
    this.events = this.events.filter(isKept);
    this.length = this.events.reduce((sum, { json }) => sum + json.length, 0);
  }
}

function isWaiting({ call }: QueuedEvent): boolean {
  return call === undefined;
}
