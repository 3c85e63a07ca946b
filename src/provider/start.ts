import type { Availability } from '../availability/availability.js';
import type { Clock } from '../clock.js';
import type { Failure } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';
import type { Snapshots } from './snapshots.js';

export interface Starting {
  readonly service: Availability;
  readonly snapshots: Snapshots | undefined;
  readonly warn: (message: string) => void;
  /** The service does not answer, and the snapshot is used instead. */
  readonly startedStale: (failure: Failure) => void;
}

/** `undefined` if flags can be evaluated; else why not. Never later than `initTimeoutMs`. */
export async function start(
  { service, snapshots, warn, startedStale }: Starting,
  { evaluation, watch, snapshot: kept, initTimeoutMs }: ProviderSettings,
  clock: Clock,
): Promise<Failure | undefined> {
  const until = clock.now() + initTimeoutMs;
  const loading = snapshots?.start();
  // In remote mode nobody waits for a snapshot, unless one may be there already.
  const mayBeThere = (kept.initial ?? kept.file ?? kept.store) !== undefined;
  if (evaluation === 'in-process' || mayBeThere) await loading;
  const hasSnapshot = () => snapshots?.snapshot() !== undefined;

  if (evaluation === 'in-process' && watch === undefined) return hasSnapshot() ? undefined : NO_SNAPSHOT;

  const leftMs = Math.max(1, until - clock.now());
  const checked = service.start(leftMs, hasSnapshot());
  if (evaluation === 'in-process' && !hasSnapshot()) {
    await firstSnapshot(checked, snapshots, leftMs, clock);
    if (!hasSnapshot()) warn(WITHOUT_SNAPSHOT);
  }
  const failure = await checked;
  if (failure === undefined || failure.kind === 'closed' || !hasSnapshot()) return failure;
  startedStale(failure);
  return undefined;
}

/** Resolves with the first snapshot, with a start that has failed, or when the time is up. */
function firstSnapshot(
  checked: Promise<Failure | undefined>,
  snapshots: Snapshots | undefined,
  withinMs: number,
  clock: Clock,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      resolve();
    };
    const cancel = clock.after(withinMs, end);
    void snapshots?.first().then(end);
    void checked.then((failure) => {
      if (failure !== undefined) end();
    });
  });
}

export const NO_SNAPSHOT: Failure = {
  kind: 'no-snapshot',
  message: "there is no snapshot to evaluate from (evaluation: 'in-process', watch: false)",
};

const WITHOUT_SNAPSHOT =
  "There is no snapshot of Flipt's to evaluate from (evaluation: 'in-process'); " +
  'Flipt evaluates the flags until there is one';
