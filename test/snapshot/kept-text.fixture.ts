import { atOnce } from '../../src/time/pausable-steps.js';
import type { SnapshotPlace } from '../../src/stores/snapshot-store.js';
import * as text from '../../src/snapshot/stored-text.js';

/** The text of a kept snapshot, at once. */
export function writeKept(stored: text.StoredSnapshot, origin: SnapshotPlace): string {
  return atOnce(text.writeKept(stored, origin));
}

/** The kept snapshot in a text, at once. */
export function readKept(kept: string | Buffer, origin: SnapshotPlace): text.StoredSnapshot | text.Unusable {
  const read = atOnce(text.readKept(kept, origin));
  return 'wrong' in read ? read : { ...read, body: read.body.toString() };
}
