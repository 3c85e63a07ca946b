import { EVENT_TYPES, type DiagnosticEvent, type EventOf } from './internal-events.js';
import type { FliptEventType } from './flipt-event.js';

/** The functions and values with which a layer of the provider reports events. */
export interface Reporter {
  /**
   * Says for each type of event whether anybody listens to it. Code that runs often makes an event, and reads the clock
   * for it, only if `wants` says that somebody listens.
   */
  readonly wants: Readonly<Record<FliptEventType, boolean>>;
  /** Calls the listeners of the event's type, and never throws. */
  readonly report: (event: DiagnosticEvent) => void;
}

type Listener = (event: DiagnosticEvent) => void;

/** Receives events from the layers of the provider, and calls the listeners of these events. */
export interface Diagnostics extends Reporter {
  /** Adds a listener for one type of event. Returns a function that removes the listener. */
  readonly listen: <Type extends FliptEventType>(
    type: Type,
    listener: (event: EventOf<Type>) => void,
  ) => () => void;
}

/**
 * Makes the object through which layers of the provider report events to listeners. A listener can be added before or
 * after the layers are created. What a listener throws goes to `defect`, because the caller of the resolve must still
 * get an answer: the listeners here are the package's own, and those of the app catch their errors themselves.
 */
export function openDiagnostics(
  defect: (error: unknown) => void = (error) => {
    throw error;
  },
): Diagnostics {
  const wants = forEach(false);
  const listeners = forEach<readonly Listener[]>([]);

  return {
    wants,
    report: (event) => {
      // The loop uses no iterator and no closure, because it runs for each answer from the cache and has to be fast.
      const hearing = listeners[event.type];
      for (let at = 0; at < hearing.length; at++) {
        try {
          hearing[at]?.(event);
        } catch (error) {
          defect(error);
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

/** The methods of the user's logger that one part of this package calls. */
export type Log<Level extends 'error' | 'warn' | 'info' | 'debug'> = Readonly<
  Record<Level, (message: string) => void>
>;

/** A reporter that ignores all events, because nobody listens to them. */
export const SILENT: Reporter = { wants: forEach(false), report: () => undefined };

function forEach<Value>(value: Value): Record<FliptEventType, Value> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, value])) as Record<FliptEventType, Value>;
}

function isOf<Type extends FliptEventType>(event: DiagnosticEvent, type: Type): event is EventOf<Type> {
  return event.type === type;
}
