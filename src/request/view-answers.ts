import type { Clock } from '../time/clock.js';
import type { Resolution } from '../model/answer.js';
import { perView } from './view.js';

const MAX_ANSWERS = 1_000;

/** Keeps the answers of each request's view. */
export function pinning(clock: Clock) {
  return perView(() => pins(clock), clock);
}

export type Pins = ReturnType<typeof pins>;

/** The answers of one view. */
function pins(clock: Clock) {
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
    /** Keeps the first success for the key, and returns it from then on. A failure is not kept. */
    pin(key: string, resolution: Resolution): Resolution {
      const before = get(key);
      if (before !== undefined) return before;
      if (resolution.answer.kind !== 'failed' && pinned.size < MAX_ANSWERS)
        pinned.set(key, { resolution, at: clock.now() });
      return resolution;
    },
  };
}
