import type { Clock } from '../clock.js';
import type { Resolution } from '../model/resolution.js';
import { perView } from './view.js';

const MAX_ANSWERS = 1_000;

/** The answers of one view. */
export interface Pins {
  readonly get: (key: string) => Resolution | undefined;
  /** Keeps the first success for the key, and returns it from then on. A failure is not kept. */
  readonly pin: (key: string, resolution: Resolution) => Resolution;
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
