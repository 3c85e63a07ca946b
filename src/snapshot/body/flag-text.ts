import { createHash } from 'node:crypto';
import type { Semantics } from '../../engine/features.js';

/** Where a flag is in a body. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** What v2 makes new for each body. It reads no flag by it. */
const NEW_IN_EACH_BODY = /"(?:id|ruleId|variantId|createdAt|updatedAt)":"[^"\\]*"/g;

/**
 * A digest of a flag's text. Equal for two flags, nothing differs that evaluation reads. For v1, which repeats its texts,
 * all of the text counts: by the ids of rules it shows which of them are copies.
 */
export function textDigest(body: Buffer, { start, end }: Place, semantics: Semantics): string {
  const text =
    semantics === 'v1'
      ? body.subarray(start, end)
      : body.toString('utf8', start, end).replace(NEW_IN_EACH_BODY, '');
  return createHash('sha1').update(text).digest('base64url');
}
