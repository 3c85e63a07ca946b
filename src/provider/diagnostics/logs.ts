import type { Diagnostics, Log } from '../../model/events/reporter.js';
import type { Runtime } from '../../model/runtime.js';
import { logBucketShared } from './bucket-shared-log.js';
import { logHealth } from './health-log.js';
import { logHitRate } from './hit-rate-log.js';
import { logOverload } from './overload-log.js';

/**
 * Logs the events of the provider's layers, except the events about polls and the snapshot, which `logWatch` logs. If
 * `hasCache` is `true`, the function also logs a low hit rate of the cache. Returns a function that returns the time
 * when the present overload began, in milliseconds since the epoch, or `undefined` if there is no overload.
 */
export function logLayers(
  runtime: Runtime & Diagnostics,
  logger: Log<'error' | 'warn' | 'debug'>,
  hasCache: boolean,
) {
  const problemsChanged = logHealth(runtime, logger);
  logBucketShared(runtime, logger);
  const looked = hasCache ? logHitRate(logger) : undefined;
  return { problemsChanged, looked, overloadSince: logOverload(runtime, logger, runtime.clock) };
}
