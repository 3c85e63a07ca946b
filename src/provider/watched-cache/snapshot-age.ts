import type { SnapshotSource } from '../../snapshot/snapshot-source.js';

/** Milliseconds since the service last confirmed the snapshot; infinite if it never has. */
export function ageMsOf(snapshots: Pick<SnapshotSource, 'watch'> | undefined, now: number): number {
  return now - (snapshots?.watch.confirmedAt() ?? -Infinity);
}
