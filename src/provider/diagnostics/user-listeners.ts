import { isPromiseLike, kindOf, messageOf, beginningOf, oneLine, quoted } from '../../base/text/describe.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import { EVENT_TYPES, fliptEvent } from '../../model/events/internal-events.js';
import type { FliptEvent, FliptEventType } from '../../model/events/flipt-event.js';

/**
 * Owns the listeners that the user has added with `onEvent`. The listeners stay when the provider is closed, and get
 * events again after its next start.
 */
export interface UserListeners {
  /**
   * Adds a listener for the events of these types. Default: the events of all types. Returns a function that removes
   * the listener. If the listener throws, the provider logs the error once, and the error has no other effect. Throws a
   * TypeError if `listener` is not a function, or if `types` names an unknown type.
   */
  readonly add: (listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]) => () => void;
  /**
   * Passes the events of `diagnostics` to all listeners, including listeners that are added later. After this call, the
   * listeners get no events from the `diagnostics` of earlier calls any more.
   */
  readonly attach: (diagnostics: Pick<Diagnostics, 'listen'>) => void;
}

export function openUserListeners(warn: (message: string) => void): UserListeners {
  /** For each listener, a function that makes the listener listen to the current `source` of events. */
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
            // Another listener of the same event might just have removed this listener.
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
 * Wraps a user's listener so that its first error is logged, and so that no error of the listener has any other effect.
 * TypeScript accepts an async listener, too, and without the wrapper, the rejection of an async listener would end the
 * process.
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
