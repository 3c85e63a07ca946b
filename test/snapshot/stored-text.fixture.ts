import { atOnce } from '../../src/base/time/pausable-steps.js';
import type { SnapshotPlace } from '../../src/options/snapshot-store.js';
import * as text from '../../src/snapshot/stored-text.js';

/** Returns the text of a stored snapshot without pauses. */
export function encodeStored(stored: text.StoredSnapshot, origin: SnapshotPlace): string {
  return atOnce(text.encodeStored(stored, origin));
}

/** Returns the stored snapshot in a text without pauses. */
export function decodeStored(
  kept: string | Buffer,
  origin: SnapshotPlace,
): text.StoredSnapshot | text.Unusable {
  const read = atOnce(text.decodeStored(kept, origin));
  return 'wrong' in read ? read : { ...read, body: read.body.toString() };
}
