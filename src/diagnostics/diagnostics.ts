import { EVENT_TYPES, type DiagnosticEvent, type EventOf, type EventType } from './events.js';

/** What a layer needs to report events. */
export interface Reporter {
  /**
   * Whether anybody listens to a type of event. The hot path asks this first. Without a listener it makes no event,
   * reads no clock and counts nothing.
   */
  readonly wants: Readonly<Record<EventType, boolean>>;
  /** Calls the listeners of this type. Never throws. */
  readonly report: (event: DiagnosticEvent) => void;
}

/**
 * Where layers report and listeners attach. A listener may attach before the layers are created, or at any time after.
 */
export interface Diagnostics extends Reporter {
  /** Returns a function that stops the listener. An error that it throws is dropped. */
  readonly listen: <Type extends EventType>(
    type: Type,
    listener: (event: EventOf<Type>) => void,
  ) => () => void;
}

type Listener = (event: DiagnosticEvent) => void;

export function openDiagnostics(): Diagnostics {
  const wants = forEach(false);
  const listeners = forEach<readonly Listener[]>([]);

  const update = (type: EventType, next: readonly Listener[]) => {
    listeners[type] = next;
    wants[type] = next.length > 0;
  };

  return {
    wants,
    report(event) {
      // A loop without an iterator or a closure, because this runs for each cached answer.
      const hearing = listeners[event.type];
      for (let at = 0; at < hearing.length; at++) {
        try {
          hearing[at]?.(event);
        } catch {
          // A listener must not keep an answer from its caller.
        }
      }
    },
    listen(type, listener) {
      const mine: Listener = (event) => {
        if (isOf(event, type)) listener(event);
      };
      update(type, [...listeners[type], mine]);
      return () => {
        update(
          type,
          listeners[type].filter((other) => other !== mine),
        );
      };
    },
  };
}

/** For layers that nobody listens to. */
export const SILENT: Reporter = { wants: forEach(false), report: () => undefined };

function forEach<Value>(value: Value): Record<EventType, Value> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, value])) as Record<EventType, Value>;
}

function isOf<Type extends EventType>(event: DiagnosticEvent, type: Type): event is EventOf<Type> {
  return event.type === type;
}
