import type { FliptEvent, FliptEventType } from './flipt-event.js';

/** Tells of events. Nothing depends on whether anybody listens. */
export interface Reporter {
  /** Asked before an event whose making would take a resolve time. */
  readonly hears: (type: FliptEventType) => boolean;
  readonly report: (event: FliptEvent) => void;
}

export interface Diagnostics extends Reporter {
  /** The result ends it. */
  readonly listen: <Type extends FliptEventType>(
    type: Type,
    listener: (event: FliptEvent & { readonly type: Type }) => void,
  ) => () => void;
}

type Listener = (event: FliptEvent) => void;

/** What a listener throws goes to `defect`, because the caller of a resolve must still get its answer. */
export function openDiagnostics(
  defect: (error: unknown) => void = (error) => {
    throw error;
  },
): Diagnostics {
  const listeners = new Map<FliptEventType, readonly Listener[]>();
  const listenersOf = (type: FliptEventType) => listeners.get(type) ?? [];
  return {
    hears: (type) => listenersOf(type).length > 0,
    report(event) {
      for (const hear of listenersOf(event.type))
        try {
          hear(event);
        } catch (error) {
          defect(error);
        }
    },
    listen(type, listener) {
      const hear: Listener = (event) => {
        if (isOf(event, type)) listener(event);
      };
      listeners.set(type, [...listenersOf(type), hear]);
      return () => {
        listeners.set(
          type,
          listenersOf(type).filter((other) => other !== hear),
        );
      };
    },
  };
}

function isOf<Type extends FliptEventType>(
  event: FliptEvent,
  type: Type,
): event is FliptEvent & { readonly type: Type } {
  return event.type === type;
}

export const SILENT: Reporter = { hears: () => false, report: () => undefined };

/** The methods of the user's logger that one part of this package calls. */
export type Log<Level extends 'error' | 'warn' | 'info' | 'debug'> = Readonly<
  Record<Level, (message: string) => void>
>;

const EVERY_TYPE: Readonly<Record<FliptEventType, true>> = {
  resolved: true,
  hit: true,
  'stale-hit': true,
  joined: true,
  miss: true,
  'batch-sent': true,
  attempt: true,
  retry: true,
  'circuit-changed': true,
  'health-changed': true,
  'credentials-refreshed': true,
  'isolation-started': true,
  'isolation-finished': true,
  shed: true,
  'snapshot-polled': true,
  'watch-changed': true,
  'flags-changed': true,
  'flags-unreadable': true,
  'flags-repeated': true,
  'namespace-suspect': true,
  'flag-key-suspect': true,
  'bucket-shared': true,
  'stream-changed': true,
  'tracking-sent': true,
  'tracking-lost': true,
  closed: true,
};
export const EVENT_TYPES = Object.keys(EVERY_TYPE) as readonly FliptEventType[];
