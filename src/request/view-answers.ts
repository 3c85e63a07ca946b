import type { Clock } from '../clock.js';
import type { Resolution } from '../model/resolution.js';

/** A view that nobody ends is over by itself so long after its first question: until then it holds nothing. */
const VIEW_FOR_MS = 30_000;
const MAX_ANSWERS = 1_000;

/** What one view has been told. */
export interface Pins {
  readonly get: (key: string) => Resolution | undefined;
  /** Holds to the first success that the view was told, and returns it; a failure is not held to. */
  readonly pin: (key: string, told: Resolution) => Resolution;
}

/** Keeps, for each request's view, what it has been told. Gone with the view, and once it is over. */
export function pinning(clock: Clock): (view: { readonly ended: boolean }) => Pins | undefined {
  const views = new WeakMap<object, { readonly pins: Pins; readonly since: number } | 'over'>();
  return (view) => {
    const known = views.get(view);
    if (known === 'over') return undefined;
    if (view.ended || (known !== undefined && clock.now() - known.since >= VIEW_FOR_MS)) {
      // A job that the request has started may hold the view for hours: what was pinned is let go.
      views.set(view, 'over');
      return undefined;
    }
    if (known !== undefined) return known.pins;
    const opened = pins(clock);
    views.set(view, { pins: opened, since: clock.now() });
    return opened;
  };
}

function pins(clock: Clock): Pins {
  const pinned = new Map<string, { readonly told: Resolution; readonly at: number }>();
  const get = (key: string): Resolution | undefined => {
    const known = pinned.get(key);
    if (known === undefined) return undefined;
    return { ...known.told, source: 'cache', ageMs: known.told.ageMs + clock.now() - known.at };
  };
  return {
    get,
    pin(key, told) {
      const before = get(key);
      if (before !== undefined) return before;
      if (told.answer.kind !== 'failed' && pinned.size < MAX_ANSWERS)
        pinned.set(key, { told, at: clock.now() });
      return told;
    },
  };
}
