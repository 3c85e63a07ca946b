import type { TrackingEvent } from '../../options/tracking-options.js';
import type { Runtime } from '../../model/runtime.js';

/** Most events that wait, with those that are being sent. */
export const MOST_EVENTS = 1_000;
/** Most characters of their JSON. */
export const MOST_LENGTH = 1024 * 1024;
/** Most characters of one event. */
export const MOST_LENGTH_OF_EVENT = 64 * 1024;

/** A call that sends events, since a time of the clock. */
export interface SendingCall {
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
export class EventQueue {
  private events: QueuedEvent[] = [];
  /** Characters of their JSON. */
  private length = 0;
  /** One line for all that are lost until events are sent again. */
  private hasWarned = false;

  constructor(
    private readonly warn: (message: string) => void,
    private readonly runtime: Pick<Runtime, 'report'>,
  ) {}

  /** How many wait or are being sent. */
  get size(): number {
    return this.events.length;
  }

  /** How many wait. */
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
      this.lost(1, 'too many wait to be sent');
    }
  }

  /** The oldest events, which now count as being sent. `sent` or `putBack` follows. */
  take(count: number, since: number): { readonly call: SendingCall; readonly texts: readonly string[] } {
    const call: SendingCall = { since };
    const taken = this.events.filter(isWaiting).slice(0, count);
    for (const event of taken) event.call = call;
    return { call, texts: taken.map(({ json }) => json) };
  }

  /** The call has sent its events, unless they wait again already. */
  sent(done: SendingCall): void {
    const before = this.events.length;
    this.keep(({ call }) => call !== done);
    if (this.events.length === before) return;
    this.hasWarned = false;
    this.runtime.report({ type: 'tracking-sent', events: before - this.events.length });
  }

  /** The events of these calls wait again. */
  putBack(isOver: (call: SendingCall) => boolean): void {
    for (const event of this.events)
      if (event.call !== undefined && isOver(event.call)) event.call = undefined;
  }

  /** So many events are lost for this reason, which were not added. */
  lost(count: number, why: string): void {
    if (!this.hasWarned) this.warn(`tracking: events are lost, because ${why}`);
    this.hasWarned = true;
    this.runtime.report({ type: 'tracking-lost', events: count });
  }

  /** All events are lost, also those that are being sent. */
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
