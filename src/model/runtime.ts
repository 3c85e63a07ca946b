import { SILENT, type Reporter } from './events/reporter.js';
import { systemClock, type Clock } from '../base/time/clock.js';

/** What the layers need from the world around them: time, chance, and somebody to report to. */
export interface Runtime extends Reporter {
  readonly clock: Clock;
  /** A number from 0 to 1, without 1. */
  readonly random: () => number;
}

/** For what stands alone, without a provider that listens. */
export const silentRuntime = (clock: Clock = systemClock): Runtime => ({
  clock,
  random: Math.random,
  ...SILENT,
});
