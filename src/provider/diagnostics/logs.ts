import type { Diagnostics, Log } from '../../model/events/reporter.js';
import type { Runtime } from '../../model/runtime.js';
import { logAttributesMissing } from './attributes-missing-log.js';
import { logBucketShared } from './bucket-shared-log.js';
import { logHealth } from './health-log.js';
import { logHitRate } from './hit-rate-log.js';
import { logOverload } from './overload-log.js';

/**
 * Logs what the layers report. The watch has a log of its own. `hasCache` says whether look-ups can find an answer. The
 * returned function gives the time since when questions are shed, in milliseconds since the epoch, or `undefined` while
 * no questions are shed.
 */
export function logLayers(
  runtime: Runtime & Diagnostics,
  logger: Log<'error' | 'warn' | 'debug'>,
  hasCache: boolean,
): () => number | undefined {
  logHealth(runtime, logger);
  logBucketShared(runtime, logger);
  logAttributesMissing(runtime, logger);
  if (hasCache) logHitRate(runtime, logger);
  return logOverload(runtime, logger, runtime.clock);
}
