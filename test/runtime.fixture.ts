import { SILENT, type Reporter } from '../src/model/events/reporter.js';
import type { Runtime } from '../src/model/runtime.js';
import type { Clock } from '../src/base/time/clock.js';

/** Makes a runtime in which nothing is random and nobody listens, unless the test says so. */
export function runtimeOf(clock: Clock, reporter: Reporter = SILENT, random = () => 0.5): Runtime {
  return { clock, random, hears: reporter.hears, report: reporter.report };
}
