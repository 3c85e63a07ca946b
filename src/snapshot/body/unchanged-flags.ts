import type { Flag, Semantics } from '../../engine/features.js';
import { counted, type CountedSteps } from '../../time/pausable-steps.js';
import type { ReadFlags } from './flags-of-body.js';
import { textDigest, type Place } from './flag-text.js';

/** A flag of the previous snapshot, and the digest of its text. */
interface UnchangedFlag {
  readonly flag: Flag;
  readonly content: string;
  readonly text: string;
}

/** Looking up a text takes as long as reading so many bytes of a flag. */
const BYTES_OF_LOOKUP = 64;

/** Finds a flag that has the same text in the previous snapshot, and so need not be read again. */
export function unchangedFlags(previous: ReadFlags | undefined, semantics: Semantics) {
  // Other rules of evaluation may read the same text in another way.
  const known = previous?.semantics === semantics ? previous : undefined;
  let keys: ReadonlyMap<string, string> | undefined;
  return {
    /** The segments to which the flags refer. */
    segments: known?.features.segments,
    *find(body: Buffer, place: Place): CountedSteps<UnchangedFlag | undefined> {
      if (known === undefined) return undefined;
      const keysOfTexts = (keys ??= yield* counted(known.texts.keysOf(known.keys().keys()), BYTES_OF_LOOKUP));
      const text = textDigest(body, place, semantics);
      const key = keysOfTexts.get(text) ?? '';
      const flag = known.features.flags.get(key);
      const content = known.contents.get(key);
      return flag && content !== undefined ? { flag, content, text } : undefined;
    },
  };
}
