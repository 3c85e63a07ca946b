import type { Availability } from '../availability/availability.js';
import type { Clock } from '../clock.js';
import type { Failure } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';
import type { Snapshots } from './snapshots.js';

export interface Starting {
  readonly service: Availability;
  readonly snapshots: Snapshots | undefined;
  readonly warn: (message: string) => void;
  /** Called if the service does not answer and the snapshot is used instead. */
  readonly startedStale: (failure: Failure) => void;
}

/** Resolves with `undefined` if flags can be evaluated, else with the failure. Never later than `initTimeoutMs`. */
export async function start(
  { service, snapshots, warn, startedStale }: Starting,
  { evaluation, watch, snapshot: kept, initTimeoutMs }: ProviderSettings,
  clock: Clock,
): Promise<Failure | undefined> {
  const until = clock.now() + initTimeoutMs;
  const leftMs = () => Math.max(1, until - clock.now());
  const loading = snapshots?.start();
  // In remote mode, the start waits for a snapshot only if the options may give one.
  const mayBeThere = (kept.initial ?? kept.file ?? kept.store) !== undefined;
  if (evaluation === 'in-process' || mayBeThere) await loading;
  const hasSnapshot = () => snapshots?.snapshot() !== undefined;
  const isHere = () => hasSnapshot() && snapshots?.isNotOffered() !== true;

  if (evaluation === 'in-process' && watch === undefined) {
    return hasSnapshot() ? undefined : noSnapshot(snapshots);
  }

  const checked = service.start(leftMs(), hasSnapshot());
  if (evaluation === 'in-process' && snapshots !== undefined) {
    await atMost(newest(checked, snapshots), leftMs(), clock);
  }
  const failure = await checked;
  if (failure?.kind === 'closed') return failure;
  const isKept = snapshots !== undefined && snapshots.ageMs(clock.now()) !== Infinity;
  if (evaluation === 'in-process' && !isHere() && !isKept) warn(WITHOUT_SNAPSHOT);
  if (failure === undefined || !hasSnapshot()) return failure;
  startedStale(failure);
  return undefined;
}

/** Resolves when the service's snapshot has arrived, when the start has failed, or when no snapshot will come soon. */
async function newest(checked: Promise<Failure | undefined>, snapshots: Snapshots): Promise<void> {
  const failed = checked.then((failure) => (failure === undefined ? snapshots.firstPoll() : 'none'));
  const end = await Promise.race([snapshots.firstPoll(), failed]);
  // The service answers now, but not when the first poll failed. The next interval would be long after the start.
  if (end === 'failed' && (await checked) === undefined) await snapshots.poll();
}

/** Resolves when `coming` does, or when the time is up. */
function atMost(coming: Promise<void>, withinMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(withinMs, resolve);
    void coming.then(() => {
      cancel();
      resolve();
    });
  });
}

/** The failure without a snapshot. It says why a snapshot from the options is not used. */
export function noSnapshot(snapshots: Pick<Snapshots, 'trouble'> | undefined): Failure {
  const trouble = snapshots?.trouble();
  const why = trouble === undefined ? '' : `: ${trouble}`;
  return {
    kind: 'no-snapshot',
    message: `there is no snapshot to evaluate from (evaluation: 'in-process', watch: false)${why}`,
  };
}

const WITHOUT_SNAPSHOT =
  "There is no snapshot to evaluate from (evaluation: 'in-process'); " +
  'Flipt evaluates the flags until there is one';
