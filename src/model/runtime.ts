import { SILENT, type Reporter } from './events/reporter.js';
import { systemClock, type Clock } from '../base/time/clock.js';

/** What the layers get from outside. */
export interface Runtime extends Reporter {
  readonly clock: Clock;
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

/** For code without a provider, such as the typed client: nobody listens. */
export const silentRuntime = (clock: Clock = systemClock): Runtime => ({
  clock,
  random: Math.random,
  ...SILENT,
});
