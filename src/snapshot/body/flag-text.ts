import { createHash } from 'node:crypto';
import type { Semantics } from '../../engine/features.js';
import type { Steps } from '../../time/pausable-steps.js';

/** Where a flag is in a body: its bytes, and its position among the flags. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly position: number;
}

/** What v2 makes new for each body. It reads no flag by it. */
const NEW_IN_EACH_BODY = /"(?:id|ruleId|variantId|createdAt|updatedAt)":"[^"\\]*"/g;

/**
 * A digest of a flag's text. If it is equal for two flags, nothing differs that evaluation reads. For v1, which
 * repeats its texts, all of the text counts: the ids of rules show which of them are copies.
 */
export function textDigest(body: Buffer, { start, end }: Place, semantics: Semantics): string {
  const text =
    semantics === 'v1'
      ? body.subarray(start, end)
      : body.toString('utf8', start, end).replace(NEW_IN_EACH_BODY, '');
  return createHash('sha1').update(text).digest('base64');
}

const DIGEST_BYTES = 20;

/** The digests of the flags' texts, by position. Outside of the heap, because there may be many. */
export type TextDigests = ReturnType<typeof textDigests>;

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
