import type { SnapshotPlace } from '../../src/options/snapshot-store.js';
import * as text from '../../src/snapshot/kept-text.js';

/** Does all steps without a pause, and returns the result. */
function atOnce<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Returns the text of a kept snapshot without pauses. */
export function encodeKept(stored: text.KeptSnapshot, origin: SnapshotPlace): string {
  return atOnce(text.encodeKept(stored, origin));
}

/** Returns the kept snapshot in a text without pauses. */
export function decodeKept(kept: string | Buffer, origin: SnapshotPlace): text.KeptSnapshot | text.Unusable {
  const read = atOnce(text.decodeKept(kept, origin));
  return 'wrong' in read ? read : { ...read, body: read.body.toString() };
}
