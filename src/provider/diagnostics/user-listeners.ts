import { isPromiseLike, kindOf, messageOf, beginningOf, oneLine, quoted } from '../../base/text/describe.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import { EVENT_TYPES, fliptEvent } from '../../model/events/internal-events.js';
import type { FliptEvent, FliptEventType } from '../../model/events/flipt-event.js';

/**
 * Holds the listeners that the user has added with `onEvent`. The listeners stay when the provider closes, and get the
 * events of its next start.
 */
export interface UserListeners {
  /**
   * Adds a listener for these types, by default for all. Returns a function that stops the listener. If the listener
   * throws, the error is logged once and has no other effect. Throws a TypeError if `listener` is not a function, or if
   * `types` names an unknown type.
   */
  readonly add: (listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]) => () => void;
  /**
   * Attaches all listeners to the events of `diagnostics`, including listeners that are added later. From now on, the
   * listeners get no events of the `diagnostics` of an earlier call any more.
   */
  readonly attach: (diagnostics: Pick<Diagnostics, 'listen'>) => void;
}

export function openUserListeners(warn: (message: string) => void): UserListeners {
  /** Holds, for each listener, a function that attaches the listener to the present source of events. */
  const attaching = new Set<() => void>();
  let source: Pick<Diagnostics, 'listen'> | undefined;

  return {
    add: (listener, types = EVENT_TYPES) => {
      check(listener, types);
      const own = [...new Set(types)];
      const hear = harmless(listener, warn);
      let ends: readonly ((() => void) | undefined)[] = [];
      const stop = () => {
        for (const end of ends) end?.();
      };
      const attach = () => {
        stop();
        ends = own.map((type) =>
          source?.listen(type, (event) => {
            // Another listener of the same event might just have stopped this listener.
            if (attaching.has(attach)) hear(fliptEvent(event));
          }),
        );
      };
      attaching.add(attach);
      attach();
      return () => {
        attaching.delete(attach);
        stop();
      };
    },
    attach(diagnostics) {
      source = diagnostics;
      for (const attach of attaching) attach();
    },
  };
}

/** Checks the arguments of `onEvent`, because callers in plain JavaScript can pass anything. */
function check(listener: unknown, types: unknown): void {
  if (typeof listener !== 'function') {
    throw new TypeError(`onEvent: listener: expected a function, got ${kindOf(listener)}`);
  }
  if (!Array.isArray(types)) {
    throw new TypeError(`onEvent: types: expected a list of event types, got ${kindOf(types)}`);
  }
  const allTypes: ReadonlySet<unknown> = new Set(EVENT_TYPES);
  for (const [at, type] of types.entries()) {
    if (allTypes.has(type)) continue;
    const shown = typeof type === 'string' ? quoted(beginningOf(type)) : kindOf(type);
    throw new TypeError(`onEvent: types.${at}: expected one of ${EVENT_TYPES.join(', ')}, got ${shown}`);
  }
}

/**
 * Wraps a listener so that its errors are logged once and have no other effect. A listener can be async, although its
 * type returns nothing, and its rejection would end the process.
 */
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
