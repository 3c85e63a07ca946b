import type { ServiceHealth } from '../remote/health.js';
import type { Clock } from '../base/time/clock.js';
import { orLate } from '../base/time/in-time.js';
import type { Failure } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';
import type { ProviderSnapshots } from './snapshots/provider-snapshots.js';

/**
 * Starts the provider. The promise resolves within `initTimeoutMs`, with the failure, or with `undefined` if Flipt has
 * answered. In-process with `watch: false`, the promise resolves with `undefined` if there is a snapshot. Even after a
 * failure, flags can be evaluated if there is a snapshot.
 */
export function start(
  service: ServiceHealth,
  snapshots: ProviderSnapshots | undefined,
  settings: ProviderSettings,
  clock: Clock,
): Promise<Failure | undefined> {
  return startFailure(service, snapshots, settings, clock);
}

async function startFailure(
  service: ServiceHealth,
  snapshots: ProviderSnapshots | undefined,
  { evaluation, watch, snapshot: kept, initTimeoutMs, logger }: ProviderSettings,
  clock: Clock,
): Promise<Failure | undefined> {
  const until = clock.now() + initTimeoutMs;
  const leftMs = () => Math.max(1, until - clock.now());
  const loading = snapshots?.start();
  // In remote mode, the start waits for a snapshot only if the options might give one.
  const mayBeThere = (kept.initial ?? kept.file ?? kept.store) !== undefined;
  if (evaluation === 'in-process' || mayBeThere) await loading;
  const hasSnapshot = () => snapshots?.snapshot() !== undefined;

  if (evaluation === 'in-process' && watch === undefined) {
    return hasSnapshot() ? undefined : noSnapshot(snapshots);
  }

  const check = async (isShort: boolean): Promise<Failure | undefined> => {
    const checked = service.start(leftMs(), isShort);
    if (evaluation === 'in-process' && snapshots !== undefined) {
      await orLate(newest(checked, snapshots), leftMs(), clock);
    }
    return checked;
  };
  const failure = await check(hasSnapshot());
  if (failure?.kind === 'closed') return failure;
  const isHere = hasSnapshot() && snapshots?.isNotOffered() !== true;
  const isKept = snapshots?.opened().confirmedAt() !== undefined;
  if (evaluation === 'in-process' && !isHere && !isKept) logger.warn(WITHOUT_SNAPSHOT);
  return failure;
}

/** Resolves when Flipt's first snapshot has arrived, when the start has failed, or when no snapshot will come soon. */
async function newest(checked: Promise<Failure | undefined>, snapshots: ProviderSnapshots): Promise<void> {
  const { firstPoll } = snapshots;
  const failed = checked.then((failure) => (failure === undefined ? firstPoll : 'none'));
  const end = await Promise.race([firstPoll, failed]);
  // The first poll has failed, but Flipt has answered a health check. Waiting for the next scheduled poll would take
  // much longer than the start, so the provider polls again at once.
  if (end === 'failed' && (await checked) === undefined) await snapshots.opened().poll();
}

/**
 * Returns the failure for a provider without a snapshot. The message of the failure contains the last warning about the
 * store or the option `snapshot.initial`, or says that no snapshot has been saved yet.
 */
export function noSnapshot(snapshots: ProviderSnapshots | undefined): Failure {
  const why =
    snapshots?.trouble() ??
    'no snapshot has been saved yet; set snapshot.initial, or run the app once without watch: false';
  return {
    kind: 'no-snapshot',
    message: `there is no snapshot to evaluate from (evaluation: 'in-process', watch: false): ${why}`,
  };
}

const WITHOUT_SNAPSHOT =
  "There is no snapshot to evaluate from (evaluation: 'in-process'); " +
  'Flipt evaluates the flags until there is one';
