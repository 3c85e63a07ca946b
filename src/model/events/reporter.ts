import { EVENT_TYPES, type DiagnosticEvent, type EventOf } from './internal-events.js';
import type { FliptEventType } from './flipt-event.js';

/** What a layer needs to report events. */
export interface Reporter {
  /**
   * Whether anybody listens to a type of event. The hot path looks here first: without a listener, it makes no event,
   * reads no clock and counts nothing.
   */
  readonly wants: Readonly<Record<FliptEventType, boolean>>;
  /** Calls the listeners of the event's type. Never throws. */
  readonly report: (event: DiagnosticEvent) => void;
}

type Listener = (event: DiagnosticEvent) => void;

/** The place where layers report events, and where listeners attach. */
export interface Diagnostics extends Reporter {
  /** Adds a listener. Returns a function that removes the listener. An error that the listener throws is dropped. */
  readonly listen: <Type extends FliptEventType>(
    type: Type,
    listener: (event: EventOf<Type>) => void,
  ) => () => void;
}

/**
 * Makes the place where layers report events. A listener can attach before the layers are created, or at any time
 * after.
 */
export function openDiagnostics(): Diagnostics {
  const wants = forEach(false);
  const listeners = forEach<readonly Listener[]>([]);

  return {
    wants,
    report: (event) => {
      // This loop has no iterator and no closure, because it runs for each cached answer.
      const hearing = listeners[event.type];
      for (let at = 0; at < hearing.length; at++) {
        try {
          hearing[at]?.(event);
        } catch {
          // An error of a listener must not keep an answer from its caller.
        }
      }
    },
    listen: (type, listener) => {
      const mine: Listener = (event) => {
        if (isOf(event, type)) listener(event);
      };
      listeners[type] = [...listeners[type], mine];
      wants[type] = true;
      return () => {
        listeners[type] = listeners[type].filter((other) => other !== mine);
        wants[type] = listeners[type].length > 0;
      };
    },
  };
}

/** The part of the user's logger that a log of this package needs. */
export type Log<Level extends 'error' | 'warn' | 'info' | 'debug'> = Readonly<
  Record<Level, (message: string) => void>
>;

/** A reporter for layers that nobody listens to. */
export const SILENT: Reporter = { wants: forEach(false), report: () => undefined };

function forEach<Value>(value: Value): Record<FliptEventType, Value> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, value])) as Record<FliptEventType, Value>;
}

function isOf<Type extends FliptEventType>(event: DiagnosticEvent, type: Type): event is EventOf<Type> {
  return event.type === type;
}
