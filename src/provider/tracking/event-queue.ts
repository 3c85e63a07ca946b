import type { TrackingEvent } from '../../options/tracking-options.js';
import type { Runtime } from '../../model/runtime.js';

/** The queue contains at most this many tracking events, including those that are being sent. */
export const MOST_EVENTS = 1_000;
/** The JSON of all events in the queue has at most this many characters in total. */
export const MOST_LENGTH = 1024 * 1024;
/** The JSON of one tracking event has at most this many characters. */
export const MOST_LENGTH_OF_EVENT = 64 * 1024;

/** Stands for one call of `tracking.send` that is under way. */
export type SendingCall = symbol;

interface QueuedEvent {
  readonly kind: TrackingEvent['kind'];
  /**
   * The event as JSON text. If the queue passed its own object to `tracking.send`, the user's function could change the
   * object and then fail.
   */
  readonly json: string;
  /** The call of `tracking.send` that is sending the event, or `undefined` while the event waits. */
  call?: SendingCall | undefined;
}

/**
 * Holds the tracking events that wait to be sent, in order, and reports events that were sent or lost. If there are too
 * many events, the queue first drops the oldest exposures, and then the oldest other events. To make space, the queue
 * never drops events that are being sent.
 */
export class EventQueue {
  private events: QueuedEvent[] = [];
  /** The number of characters in the JSON of all events of the queue. */
  private length = 0;
  /**
   * Is `true` if the queue has logged a warning about lost events, and has sent no events since that warning. The queue
   * logs the next warning only after it has sent events again.
   */
  private hasWarned = false;

  constructor(
    private readonly warn: (message: string) => void,
    private readonly runtime: Pick<Runtime, 'report'>,
  ) {}

  /** Returns the number of events that wait or are being sent. */
  get size(): number {
    return this.events.length;
  }

  /** Returns the number of events that wait, without those that are being sent. */
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

  /**
   * Marks the oldest waiting events as being sent, and returns their JSON texts. Call `sent` or `putBack` when the call
   * of `tracking.send` has ended.
   */
  take(count: number): { readonly call: SendingCall; readonly texts: readonly string[] } {
    const call: SendingCall = Symbol('call');
    const taken = this.events.filter(isWaiting).slice(0, count);
    for (const event of taken) event.call = call;
    return { call, texts: taken.map(({ json }) => json) };
  }

  /** Call this function when a call of `tracking.send` has succeeded. */
  sent(done: SendingCall): void {
    const before = this.events.length;
    this.keep(({ call }) => call !== done);
    if (this.events.length === before) return;
    this.hasWarned = false;
    this.runtime.report({ type: 'tracking-sent', events: before - this.events.length });
  }

  /** Makes the events of a failed call wait again. */
  putBack(failed: SendingCall): void {
    for (const event of this.events) if (event.call === failed) event.call = undefined;
  }

  /**
   * Reports that `count` events are lost. Other code calls `lost` for events that were never in the queue. `why` is the
   * reason that the log gives.
   */
  lost(count: number, why: string): void {
    if (!this.hasWarned) this.warn(`tracking: events are lost, because ${why}`);
    this.hasWarned = true;
    this.runtime.report({ type: 'tracking-lost', events: count });
  }

  /** Drops all events, including those that are being sent, and reports these events as lost. */
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
