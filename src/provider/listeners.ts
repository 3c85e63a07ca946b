import { beginningOf, isPromiseLike, kindOf, messageOf, oneLine, quoted } from '../base/text/describe.js';
import { EVENT_TYPES, fliptEvent } from '../model/events/internal-events.js';
import type { FliptEvent, FliptEventType } from '../model/events/flipt-event.js';
import type { Diagnostics } from '../model/events/reporter.js';

type Hear = (event: FliptEvent) => void;

/** The app's listeners. They stay when the provider is closed, and hear of its next start. */
export class Listeners {
  private readonly heard = new Map<FliptEventType, ReadonlySet<Hear>>();
  private source: Pick<Diagnostics, 'listen'> | undefined;
  private readonly attached = new Map<FliptEventType, () => void>();

  constructor(private readonly warn: (message: string) => void) {}

  readonly add = (
    listener: (event: FliptEvent) => void,
    types: readonly FliptEventType[] = EVENT_TYPES,
  ): (() => void) => {
    check(listener, types);
    const hear = harmless(listener, this.warn);
    const own = new Set(types);
    for (const type of own) this.heard.set(type, new Set(this.heard.get(type)).add(hear));
    for (const type of own) this.listenTo(type);
    return () => {
      for (const type of own) {
        const others = new Set(this.heard.get(type));
        others.delete(hear);
        this.heard.set(type, others);
        this.listenTo(type);
      }
    };
  };

  attach(source: Pick<Diagnostics, 'listen'>): void {
    this.source = source;
    for (const end of this.attached.values()) end();
    this.attached.clear();
    for (const type of this.heard.keys()) this.listenTo(type);
  }

  /** Events that nobody hears are not made, which keeps a cached answer cheap. */
  private listenTo(type: FliptEventType): void {
    const isHeard = (this.heard.get(type)?.size ?? 0) > 0;
    if (!isHeard) {
      this.attached.get(type)?.();
      this.attached.delete(type);
    } else if (this.source !== undefined && !this.attached.has(type)) {
      const end = this.source.listen(type, (event) => {
        for (const hear of this.heard.get(type) ?? [])
          // Another listener of this event may have removed it.
          if (this.heard.get(type)?.has(hear)) hear(fliptEvent(event));
      });
      this.attached.set(type, end);
    }
  }
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
