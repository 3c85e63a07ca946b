import { SILENT, type Reporter } from './events/reporter.js';
import { systemClock, type Clock } from '../base/time/clock.js';

/**
 * What the layers of the provider get from outside: the clock, random numbers, and the functions that report events.
 */
export interface Runtime extends Reporter {
  readonly clock: Clock;
  /** Returns a random number that is at least 0 and less than 1. */
  readonly random: () => number;
}

/**
 * Makes a runtime for code without a provider, such as the typed client. With this runtime, events have no effect,
 * because nobody listens to them.
 */
export const silentRuntime = (clock: Clock = systemClock): Runtime => ({
  clock,
  random: Math.random,
  ...SILENT,
});
