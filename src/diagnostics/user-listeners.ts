import { isPromiseLike, kindOf, messageOf, beginningOf, oneLine, quoted } from '../text/describe.js';
import type { Diagnostics } from './diagnostics.js';
import { EVENT_TYPES, fliptEvent } from './internal-events.js';
import type { FliptEvent, FliptEventType } from './flipt-event.js';

interface Observer {
  readonly types: ReadonlySet<FliptEventType>;
  readonly hear: (event: FliptEvent) => void;
  end: () => void;
}

/** The user's listeners. They outlive the provider's close, and get the events of its next start. */
export function openUserListeners(warn: (message: string) => void) {
  const observers = new Set<Observer>();
  let source: Pick<Diagnostics, 'listen'> | undefined;

  const begin = (observer: Observer) => {
    observer.end();
    const ends = [...observer.types].map((type) =>
      source?.listen(type, (event) => {
        // Another listener of the same event may have stopped this one.
        if (observers.has(observer)) observer.hear(fliptEvent(event));
      }),
    );
    observer.end = () => {
      for (const end of ends) end?.();
    };
  };

  return {
    /** Returns a function that stops the listener. An error that it throws is logged once and then dropped. */
    add: (listener: (event: FliptEvent) => void, types: readonly FliptEventType[] = EVENT_TYPES) => {
      check(listener, types);
      const observer = { types: new Set(types), hear: harmless(listener, warn), end: () => undefined };
      observers.add(observer);
      begin(observer);
      return () => {
        observers.delete(observer);
        observer.end();
      };
    },
    /**
     * From now on, all listeners get these events and no longer those of an earlier call, including listeners that are
     * added later.
     */
    attach(diagnostics: Pick<Diagnostics, 'listen'>) {
      source = diagnostics;
      observers.forEach(begin);
    },
  };
}

/** Needed for callers in plain JavaScript. */
function check(listener: unknown, types: unknown): void {
  if (typeof listener !== 'function') {
    throw new TypeError(`onEvent: listener: expected a function, got ${kindOf(listener)}`);
  }
  if (!Array.isArray(types)) {
    throw new TypeError(`onEvent: types: expected a list of event types, got ${kindOf(types)}`);
  }
  const known: readonly unknown[] = EVENT_TYPES;
  const at = types.findIndex((type) => !known.includes(type));
  if (at === -1) return;
  const given: unknown = types[at];
  const shown = typeof given === 'string' ? quoted(beginningOf(given)) : kindOf(given);
  throw new TypeError(`onEvent: types.${at}: expected one of ${EVENT_TYPES.join(', ')}, got ${shown}`);
}

/** An async listener is a `=> void`, too, and its rejection would end the process. */
function harmless(
  listener: (event: FliptEvent) => unknown,
  warn: (message: string) => void,
): (event: FliptEvent) => void {
  let hasFailed = false;
  const failed = (error: unknown) => {
    if (hasFailed) return;
    hasFailed = true;
    warn(`onEvent: a listener failed (warned only once): ${oneLine(messageOf(error))}`);
  };
  return (event) => {
    try {
      const coming = listener(event);
      if (isPromiseLike(coming)) coming.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  };
}
