import { SILENT, type Reporter } from './events/reporter.js';
import { systemClock, type Clock } from '../base/time/clock.js';

/** What layers need from the world around them: a clock, chance, and a place to report to. */
export interface Runtime extends Reporter {
  readonly clock: Clock;
  /** Returns a random number that is at least 0 and less than 1. */
  readonly random: () => number;
}

/** Makes a runtime for code that works without a provider, so that nobody listens to its events. */
export const silentRuntime = (clock: Clock = systemClock): Runtime => ({
  clock,
  random: Math.random,
  ...SILENT,
});
