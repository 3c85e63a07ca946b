import type { Diagnostics } from '../../model/events/reporter.js';
import { logAttributesMissing } from '../diagnostics/attributes-missing-log.js';
import { logBucketShared } from '../diagnostics/bucket-shared-log.js';
import { logHealth } from '../diagnostics/health-log.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Runtime } from '../../model/runtime.js';
import { CLOSE_MS, orLate } from '../../base/time/in-time.js';
import { openTracking, type Tracking } from '../tracking/tracking.js';
import { entityId } from '../mapping/attribute-text.js';

/* What a provider with a background and one without have in common. */

/** `undefined` without the option. */
export function trackingOf(settings: ProviderSettings, runtime: Runtime): Tracking | undefined {
  return settings.tracking && openTracking(settings.tracking, settings, userOf, runtime);
}

/** The user of a context. */
const userOf = ({ targetingKey }: { readonly targetingKey?: unknown }): string => entityId(targetingKey);

/** Logs what concerns every provider. */
export function logProblems(runtime: Runtime & Diagnostics, { logger }: ProviderSettings): void {
  logHealth(runtime, logger);
  logBucketShared(runtime, logger);
  logAttributesMissing(runtime, logger);
}

/** Waits for what a close has to end, but not for ever, because a store may hang. Then ends tracking. Never rejects. */
export async function ended(
  parts: readonly (Promise<unknown> | undefined)[],
  tracking: Tracking | undefined,
  { logger }: ProviderSettings,
  { clock }: Runtime,
): Promise<void> {
  const all = Promise.all([...parts, tracking?.flush()]);
  if ((await orLate(all, CLOSE_MS, clock)) === 'late') logger.warn(NOT_ENDED);
  // Without a time limit of its own: what it loses must be counted before the close ends, as the process may exit then.
  tracking?.close();
}

const NOT_ENDED = `The provider is closed, although its store, a connection or tracking.send has not ended within ${CLOSE_MS} ms`;
