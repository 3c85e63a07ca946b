import { digestOf } from '../changed-flags.js';
import type { Known } from '../fetch.js';
import type { Snapshot } from '../snapshot.js';

/**
 * The version of a snapshot in the store's record. It is the same in all instances with this snapshot, whether it came
 * from the service or from the store. It leaves out the ETag: with replicas whose tags alternate, all instances would
 * load the same snapshot again after each poll.
 */
export function recordVersions(): (known: Pick<Known, 'snapshot'>) => string {
  // Kept, because each poll needs it, and the digest of 10,000 flags blocks the event loop for 10 ms.
  const digests = new WeakMap<Snapshot, string>();
  return ({ snapshot }) => {
    const digest = digests.get(snapshot) ?? digestOf(snapshot.contents);
    digests.set(snapshot, digest);
    return `${digest} ${snapshot.semantics}`;
  };
}
