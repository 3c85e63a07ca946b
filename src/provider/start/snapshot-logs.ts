import type { Diagnostics } from '../../diagnostics/diagnostics.js';
import { ageLog, logWatch } from '../../diagnostics/watch-log.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { SnapshotSource } from '../../snapshot/snapshot-source.js';
import { optionAdvice } from './option-advice.js';

/**
 * Logs what becomes of snapshots: their watch, an old one and, once the first has been read, advice about options. The
 * result warns if the snapshot is old.
 */
export function logSnapshots(
  opening: Promise<SnapshotSource>,
  ageMs: () => number,
  settings: ProviderSettings,
  { listen }: Pick<Diagnostics, 'listen'>,
): () => void {
  const { logger } = settings;
  logWatch({ listen }, settings, logger);
  const warnIfOld = ageLog(ageMs, logger);
  listen('snapshot-polled', warnIfOld);
  const end = listen('snapshot-polled', ({ failure }) => {
    if (failure !== undefined) return;
    end();
    // The first poll may succeed before the snapshots are open here.
    void opening.then(async ({ whole }) => {
      const first = await whole();
      for (const advice of first ? optionAdvice(first, settings) : []) logger.warn(advice);
    });
  });
  return warnIfOld;
}
