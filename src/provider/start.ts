import type { LoopTime } from '../base/time/loop-time.js';
import type { Failure } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';
import type { ServiceHealth } from '../remote/health.js';
import type { SnapshotSource } from '../snapshot/source.js';

/** Resolves within `initTimeoutMs`, with why Flipt has not answered, even if there is a snapshot to evaluate from. */
export async function start(
  health: ServiceHealth,
  source: SnapshotSource | undefined,
  { evaluation, watch, snapshot, initTimeoutMs }: ProviderSettings,
  time: LoopTime,
  noSnapshot: () => Failure,
  evaluatesRemotely: () => void,
): Promise<Failure | undefined> {
  const until = time.now() + initTimeoutMs;
  const leftMs = () => Math.max(1, until - time.now());
  const isInProcess = evaluation === 'in-process';
  const hasSnapshot = () => source?.snapshot() !== undefined;
  const opening = source?.open();
  if (isInProcess || (snapshot.initial ?? snapshot.file ?? snapshot.store) !== undefined) await opening;
  if (isInProcess && watch === undefined) return hasSnapshot() ? undefined : noSnapshot();

  const failure = await health.start(leftMs(), hasSnapshot);
  if (failure?.kind === 'closed' || !isInProcess || source === undefined) return failure;
  if (failure === undefined) await time.orLate(firstSnapshot(source), until);
  const isUsed =
    hasSnapshot() && !(source.poller.isNotOffered() && source.poller.confirmedAt() === undefined);
  if (!isUsed) evaluatesRemotely();
  return failure;
}

/** Flipt answers, so a first poll that has failed is repeated at once. */
async function firstSnapshot(source: SnapshotSource): Promise<void> {
  await source.polled();
  if (!source.poller.isConfirmed() && !source.poller.isNotOffered()) await source.poller.pollNext();
}
