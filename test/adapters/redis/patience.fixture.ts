import { onTestFinished } from 'vitest';
import { START_WAIT_MS } from '../../../src/snapshot/source.js';
import { systemClock, type Clock } from '../../../src/base/time/clock.js';

/** The limits, in milliseconds, of the start, of a call to the store, and of a call with a whole snapshot. */
const LIMITS: readonly number[] = [START_WAIT_MS, 1_000, 5_000];

/**
 * Keeps calls to a store from running out of time until `count` is called, because a store that works could seem silent
 * on a busy machine. `count` ends the calls that are under way.
 */
export function limitsOfCalls() {
  const limits = new Set<() => void>();
  let isCounting = false;
  const real = { ...systemClock };
  const after: Clock['after'] = (ms, run, background) => {
    if (isCounting || !LIMITS.includes(ms)) return real.after(ms, run, background);
    limits.add(run);
    return () => limits.delete(run);
  };
  Object.assign(systemClock, { after });
  onTestFinished(() => {
    Object.assign(systemClock, real);
  });
  return {
    count() {
      isCounting = true;
      for (const end of limits) end();
      limits.clear();
    },
    stopCounting() {
      isCounting = false;
    },
  };
}
