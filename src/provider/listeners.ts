import { beginningOf, isPromiseLike, kindOf, messageOf, oneLine, quoted } from '../base/text/describe.js';
import type { FliptEvent, FliptEventType } from '../model/events/flipt-event.js';
import { EVENT_TYPES, type Diagnostics } from '../model/events/reporter.js';

type Hear = (event: FliptEvent) => void;

/** Adds a listener of the app. The result ends it. */
export function addListener(
  { listen }: Pick<Diagnostics, 'listen'>,
  warn: (message: string) => void,
  listener: Hear,
  types: readonly FliptEventType[] = EVENT_TYPES,
): () => void {
  check(listener, types);
  const hear = harmless(listener, warn);
  let isEnded = false;
  const ends = [...new Set(types)].map((type) =>
    listen(type, (event) => {
      // Another listener of this event may have ended this one.
      if (!isEnded) hear(event);
    }),
  );
  return () => {
    isEnded = true;
    for (const end of ends) end();
  };
}

function check(listener: unknown, types: unknown): void {
  if (typeof listener !== 'function')
    throw new TypeError(`onEvent: listener: expected a function, got ${kindOf(listener)}`);
  if (!Array.isArray(types))
    throw new TypeError(`onEvent: types: expected a list of event types, got ${kindOf(types)}`);
  const allTypes: ReadonlySet<unknown> = new Set(EVENT_TYPES);
  for (const [at, type] of types.entries()) {
    if (allTypes.has(type)) continue;
    const shown = typeof type === 'string' ? quoted(beginningOf(type)) : kindOf(type);
    throw new TypeError(`onEvent: types.${at}: expected one of ${EVENT_TYPES.join(', ')}, got ${shown}`);
  }
}

/** Without it, the rejection of an async listener would end the process. */
function harmless(listener: (event: FliptEvent) => unknown, warn: (message: string) => void): Hear {
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
