import type { Clock } from '../clock.js';
import type { Resolution } from '../model/resolution.js';

/** A view that nobody ends is over by itself so long after its first question: until then it holds nothing. */
const VIEW_FOR_MS = 30_000;
const MAX_ANSWERS = 1_000;

/** The answers that one view has got. */
export interface Pins {
  readonly get: (key: string) => Resolution | undefined;
  /** Keeps and returns the first success that the view got. A failure is not kept. */
  readonly pin: (key: string, resolution: Resolution) => Resolution;
}

/** Keeps something for each request's view. It goes with the view, or once that has ended: then it is `undefined`. */
export function perView<Kept>(
  open: () => Kept,
  clock: Clock,
): (view: { readonly ended: boolean }) => Kept | undefined {
  const views = new WeakMap<object, { readonly kept: Kept; readonly since: number } | 'over'>();
  return (view) => {
    const known = views.get(view);
    if (known === 'over') return undefined;
    if (view.ended || (known !== undefined && clock.now() - known.since >= VIEW_FOR_MS)) {
      // A job that the request has started may hold the view for hours: what was kept for it is let go.
      views.set(view, 'over');
      return undefined;
    }
    if (known !== undefined) return known.kept;
    const kept = open();
    views.set(view, { kept, since: clock.now() });
    return kept;
  };
}

/** Keeps the answers of each request's view. */
export function pinning(clock: Clock): (view: { readonly ended: boolean }) => Pins | undefined {
  return perView(() => pins(clock), clock);
}

function pins(clock: Clock): Pins {
  const pinned = new Map<string, { readonly resolution: Resolution; readonly at: number }>();
  const get = (key: string): Resolution | undefined => {
    const known = pinned.get(key);
    if (known === undefined) return undefined;
    return {
      ...known.resolution,
      source: 'cache',
      ageMs: known.resolution.ageMs + clock.now() - known.at,
    };
  };
  return {
    get,
    pin(key, resolution) {
      const before = get(key);
      if (before !== undefined) return before;
      if (resolution.answer.kind !== 'failed' && pinned.size < MAX_ANSWERS)
        pinned.set(key, { resolution, at: clock.now() });
      return resolution;
    },
  };
}
