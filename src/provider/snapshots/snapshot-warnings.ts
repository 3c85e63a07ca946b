import type { Diagnostics } from '../../model/events/reporter.js';
import type { Runtime } from '../../model/runtime.js';
import type { Clock } from '../../base/time/clock.js';
import { inBackground } from '../../base/time/pausable-steps.js';
import { logWatch } from '../diagnostics/watch-log.js';
import { hasEnvironments } from '../../engine/version-differences.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { SnapshotSource } from '../../snapshot/source.js';
import { similarName } from '../../base/text/closest-name.js';
import { quoted } from '../../base/text/describe.js';
import type { Snapshot } from '../../snapshot/snapshot.js';

/**
 * Logs a warning if Flipt no longer offers snapshots, or if Flipt's first snapshot shows that an option is wrong. Also
 * starts `logWatch`, which logs what polls find. Returns a function that logs a warning if the current snapshot is old.
 * `ageMs` returns a negative number if the age of the snapshot is not known.
 */
export function warnOfSnapshots(
  source: Pick<SnapshotSource, 'snapshot'>,
  ageMs: () => number,
  settings: ProviderSettings,
  { listen, clock }: Pick<Diagnostics, 'listen'> & Pick<Runtime, 'clock'>,
): () => void {
  const { logger } = settings;
  listen('watch-changed', ({ state, failure }) => {
    // If the age of the snapshot is known, Flipt has offered snapshots before, so the user has to know that Flipt
    // refuses them now.
    const isNews = state === 'not-offered' && ageMs() > -Infinity;
    if (isNews) logger.warn(`${NOT_SERVED_ANY_MORE}: ${failure?.message ?? ''}`);
  });
  logWatch({ listen }, settings, logger);
  let wasOld = false;
  /** Logs a warning if the snapshot is old. The next warning can come only after Flipt has confirmed a snapshot. */
  const warnIfOld = () => {
    const days = Math.floor(ageMs() / OLD_MS);
    const since = days === 1 ? 'a day' : `${days} days`;
    if (days > 0 && !wasOld) logger.warn(`The snapshot is old: Flipt last confirmed it ${since} ago`);
    wasOld = days > 0;
  };
  listen('snapshot-polled', warnIfOld);
  const end = listen('snapshot-polled', ({ failure }) => {
    if (failure !== undefined) return;
    end();
    const first = source.snapshot();
    if (first === undefined) return;
    void optionAdvice(first, settings, clock).then((lines) => {
      for (const advice of lines) logger.warn(advice);
    });
  });
  return warnIfOld;
}

/** A snapshot counts as old after this many milliseconds, which are one day. */
const OLD_MS = 86_400_000;
const NOT_SERVED_ANY_MORE =
  'Flipt refuses snapshots, so that the saved or initial one does not change any more';

/**
 * Compares the options `environment` and `attributes.only` with Flipt's first snapshot, and returns a warning for each
 * of the two that is probably wrong.
 */
async function optionAdvice(
  { flags, semantics }: Snapshot,
  { environment, attributes }: ProviderSettings,
  clock: Clock,
): Promise<readonly string[]> {
  const ignored =
    environment === undefined || hasEnvironments(semantics)
      ? []
      : [
          `Flipt v1 has no environments, so that the option environment has no effect: ${quoted(environment)}`,
        ];
  const only = attributes !== undefined && 'only' in attributes ? attributes.only : [];
  if (only.length === 0) return ignored;
  // To know all segments, the code has to parse all flags, a few flags in each turn of the event loop.
  await flags.each(inBackground(clock), () => true);
  const segments = [...flags.whole().segments.values()];
  const read = new Set(segments.flatMap(({ constraints }) => constraints.map(({ property }) => property)));
  return [...ignored, ...misspelt(only, read)];
}

/**
 * Returns a warning for each name in `only` (the option `attributes.only`) that no segment compares, if segments
 * compare an attribute with a similar name that is not in `only`.
 */
function misspelt(only: readonly string[], read: ReadonlySet<string>): readonly string[] {
  return only.flatMap((name) => {
    const similar = read.has(name) ? undefined : similarName(name, read);
    if (similar === undefined || only.includes(similar)) return [];
    return `attributes.only names ${quoted(name)}, but segments read ${quoted(similar)}, which is not sent`;
  });
}
