import { createHash } from 'node:crypto';
import type { Features, Segment, Semantics } from '../../engine/features.js';
import { repeatsRules } from '../../engine/version-differences.js';
import type { UnreadableFlag } from '../../model/answer.js';
import { counted, type CountedSteps, type Steps } from '../../base/time/pausable-steps.js';
import { segmentContent, type Contents } from '../flag-content.js';
import { distinctNames } from './distinct-names.js';

/** What has been read of a body's flags until now. It grows as flags are read; what is there never changes. */
export interface ReadFlags {
  /** The rules of the Flipt that wrote the body apply. */
  readonly semantics: Semantics;
  readonly features: Required<Features>;
  readonly contents: Contents;
  /** Of the flags that could be read. */
  readonly texts: ReturnType<typeof textDigests>;
  /** Keys that are there more than once. Flipt evaluates by the last flag of a key, and so is it here. */
  readonly repeated: ReadonlySet<string>;
  /** Of all flags, also of those that have not been read, in the order of the body. */
  readonly keys: () => Pick<ReadonlyMap<string, unknown>, 'has' | 'size' | 'keys'>;
  /** Reads this flag, if that has not been done. */
  readonly read: (key: string) => void;
  /** The flag, if it cannot be read. */
  readonly unreadable: (key: string) => UnreadableFlag | undefined;
  /** Reads the flags that are left. */
  readonly readRest: () => CountedSteps;
  /** Bytes of this flag that have not been read. */
  readonly unreadBytes: (key: string) => number;
  /** The body, until all flags have been read. */
  readonly unreadBody: () => Buffer | undefined;
}

/** Where a flag is in a body: its bytes, and its position among the flags. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly position: number;
}

/** What v2 makes new for each body. It reads no flag by it. */
const NEW_IN_EACH_BODY = /"(?:id|ruleId|variantId|createdAt|updatedAt)":"[^"\\]*"/g;

/**
 * A digest of a flag's text. If it is equal for two flags, nothing differs that evaluation reads. Where rules are
 * repeated, all of the text counts: their ids show which of them are copies.
 */
export function textDigest(body: Buffer, { start, end }: Place, semantics: Semantics): string {
  const text = repeatsRules(semantics)
    ? body.subarray(start, end)
    : body.toString('utf8', start, end).replace(NEW_IN_EACH_BODY, '');
  return createHash('sha1').update(text).digest('base64');
}

const DIGEST_BYTES = 20;

/** The digests of the flags' texts, by position. Outside of the heap, because there may be many. */
export function textDigests(flags: number) {
  const digests = Buffer.alloc(DIGEST_BYTES * flags);
  return {
    set: (digest: string, { position }: Place) => {
      digests.write(digest, DIGEST_BYTES * position, 'base64');
    },
    /** By digest: the keys, which are in the order of the positions. A flag whose digest was not set is not found. */
    *keysOf(keys: Iterable<string>): Steps<ReadonlyMap<string, string>> {
      const found = new Map<string, string>();
      let start = 0;
      for (const key of keys) {
        found.set(digests.toString('base64', start, (start += DIGEST_BYTES)), key);
        yield;
      }
      return found;
    },
  };
}

/** Looking up a text takes as long as reading so many bytes of a flag. */
const BYTES_OF_LOOKUP = 64;

/** Finds a flag that has the same text in the previous snapshot, and so need not be read again. */
export function unchangedFlags(previous: ReadFlags | undefined, semantics: Semantics) {
  // Other rules of evaluation may read the same text in another way.
  const known = previous?.semantics === semantics ? previous : undefined;
  // A snapshot repeats a segment in each rule. Two copies may differ, because v1 reads them one by one while somebody may
  // edit them: then no rule gets another rule's copy.
  const segments = distinctNames<Segment>(segmentContent, known?.features.segments);
  let keys: ReadonlyMap<string, string> | undefined;
  return {
    /** The names of the segments to which flags refer. */
    segments,
    /** With the digest of its text. Its segments are taken over. */
    *find(body: Buffer, place: Place) {
      if (known === undefined) return undefined;
      const keysOfTexts = (keys ??= yield* counted(known.texts.keysOf(known.keys().keys()), BYTES_OF_LOOKUP));
      const text = textDigest(body, place, semantics);
      const key = keysOfTexts.get(text) ?? '';
      const flag = known.features.flags.get(key);
      const content = known.contents.get(key);
      if (flag === undefined || content === undefined) return undefined;
      const choices = flag.type === 'BOOLEAN_FLAG_TYPE' ? flag.rollouts : flag.rules;
      for (const choice of choices) if ('segmentKeys' in choice) choice.segmentKeys.forEach(segments.keep);
      return { flag, content, text };
    },
  };
}
