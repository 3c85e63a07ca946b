import { atOnce } from '../../src/base/time/pausable-steps.js';
import type { SnapshotPlace } from '../../src/options/snapshot-store.js';
import * as text from '../../src/snapshot/stored-text.js';

/** The text of a stored snapshot, at once. */
export function encodeStored(stored: text.StoredSnapshot, origin: SnapshotPlace): string {
  return atOnce(text.encodeStored(stored, origin));
}

/** The stored snapshot in a text, at once. */
export function decodeStored(
  kept: string | Buffer,
  origin: SnapshotPlace,
): text.StoredSnapshot | text.Unusable {
  const read = atOnce(text.decodeStored(kept, origin));
  return 'wrong' in read ? read : { ...read, body: read.body.toString() };
}
