import type { Diagnostics } from '../../diagnostics/diagnostics.js';
import { logHitRate } from '../../diagnostics/hit-rate-log.js';
import { logOverload } from '../../diagnostics/overload-log.js';
import { logSharedBuckets } from '../../diagnostics/shared-bucket-log.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Runtime } from '../../runtime.js';

/* What a provider loads when it starts, because its first answer needs none of it. */

export { findCulprits } from '../../batch/culprit-search.js';
export { evaluateAll } from '../evaluate/evaluate-all.js';
export { evaluateEach } from '../evaluate/evaluate-each.js';
export { explain } from '../evaluate/explain-from-snapshot.js';

/**
 * Warns of a use that costs more than it must, and of overload. The result says since when questions are shed, in
 * milliseconds since the epoch; `undefined` while none are.
 */
export function logUse({ cache, logger }: ProviderSettings, runtime: Runtime & Diagnostics) {
  logSharedBuckets(runtime, logger);
  if (cache !== undefined) logHitRate(runtime, logger);
  return logOverload(runtime, logger, runtime.clock);
}
