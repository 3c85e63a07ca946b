import { SILENT, type Reporter } from '../src/diagnostics/diagnostics.js';
import type { Runtime } from '../src/runtime.js';
import type { Clock } from '../src/time/clock.js';

/** Nothing is random and nobody listens, unless the test says so. */
export function runtimeOf(clock: Clock, reporter: Reporter = SILENT, random = () => 0.5): Runtime {
  return { clock, random, wants: reporter.wants, report: reporter.report };
}
